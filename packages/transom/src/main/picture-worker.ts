/**
 * The thread that draws pictures, so that the sessions of the host go on meanwhile. Started by picture-pool.ts from
 * text that it read from an open file; what it needs of the disk it reads from open files, too.
 */
import * as fs from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { toWireError } from '@transom/protocol/errors'
import { Studio } from '../evidence/picture-worker/draw-picture.ts'
import type { AnswerMessage, JobMessage, WorkerStart } from '../evidence/picture-worker/picture-job.ts'

const { glyphFiles, program } = workerData as WorkerStart // set by picture-pool.ts of this same version
const studio = new Studio((scale) => readWhole(glyphFiles[scale - 1] ?? -1), program)

parentPort?.on('message', ({ id, job }: JobMessage) => {
  parentPort?.postMessage(answer(id, job), [])
})

function answer(id: number, job: JobMessage['job']): AnswerMessage {
  try {
    return { id, drawn: studio.draw(job) }
  } catch (error) {
    return { id, error: toWireError(error) }
  }
}

function readWhole(fd: number): Uint8Array {
  const bytes = new Uint8Array(fs.fstatSync(fd).size)
  for (let at = 0; at < bytes.length;) {
    const read = fs.readSync(fd, bytes, at, bytes.length - at, at)
    if (read === 0) break
    at += read
  }
  return bytes
}
