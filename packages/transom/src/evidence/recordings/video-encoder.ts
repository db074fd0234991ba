import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { OpError } from '@transom/protocol/errors'
import { messageOf } from '../../lib/system-error.ts'
import type { Raster } from '../pictures/raster.ts'

export type VideoFormat = 'webm' | 'mp4'

const STDERR_CHARS_MAX = 4000 // the last lines say what is wrong

/** Constant quality: text stays sharp, and still pictures cost next to nothing. */
const CODECS: Readonly<Record<VideoFormat, readonly string[]>> = {
  webm: [
    '-c:v',
    'libvpx-vp9',
    '-crf',
    '28',
    '-b:v',
    '0',
    '-row-mt',
    '1',
    '-deadline',
    'realtime',
    '-cpu-used',
    '6',
  ],
  mp4: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', '-movflags', '+faststart'],
}

/** A video by the system's ffmpeg, which is given raw pictures. */
export class VideoEncoder {
  readonly #ffmpeg: ChildProcessWithoutNullStreams
  readonly #framesPerSecond: number
  readonly #ended: Promise<void>
  #failure: OpError | null = null
  #stderr = ''
  #frames = 0
  #shownMs = 0

  static start(options: {
    format: VideoFormat
    width: number
    height: number
    framesPerSecond: number
    output: string
    signal: AbortSignal
  }): VideoEncoder {
    return new VideoEncoder(options)
  }

  private constructor(options: Parameters<typeof VideoEncoder.start>[0]) {
    const { format, width, height, framesPerSecond, output, signal } = options
    this.#framesPerSecond = framesPerSecond
    const input = [
      '-f',
      'rawvideo',
      '-pix_fmt',
      'rgba',
      '-s',
      `${width}x${height}`,
      '-r',
      `${framesPerSecond}`,
    ]
    const even = 'pad=ceil(iw/2)*2:ceil(ih/2)*2' // colours have half the resolution
    const coded = [...CODECS[format], '-pix_fmt', 'yuv420p', '-f', format]
    const args = [
      '-hide_banner',
      '-loglevel',
      'error',
      '-y',
      ...input,
      '-i',
      '-',
      '-vf',
      even,
      ...coded,
      output,
    ]
    this.#ffmpeg = spawn('ffmpeg', args, { signal, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#ffmpeg.stdin.on('error', () => {}) // its exit has the reason
    this.#ffmpeg.stderr.on('data', (chunk) => {
      this.#stderr = (this.#stderr + String(chunk)).slice(-STDERR_CHARS_MAX)
    })
    this.#ended = new Promise((resolve) => {
      this.#ffmpeg.on('error', (error) => {
        this.#failure ??= missing(error)
        resolve()
      })
      this.#ffmpeg.on('close', (code) => {
        if (code !== 0) this.#failure ??= refused(this.#stderr, code)
        resolve()
      })
    })
  }

  async add(raster: Raster, durationMs: number): Promise<void> {
    this.#shownMs += durationMs
    const wanted = Math.max(this.#frames + 1, Math.round((this.#shownMs * this.#framesPerSecond) / 1000))
    const picture = raster.rgba.slice() // the raster is painted over while the pipe still holds this
    for (; this.#frames < wanted; this.#frames++) {
      if (this.#failure !== null) throw this.#failure
      if (!this.#ffmpeg.stdin.write(picture))
        await Promise.race([once(this.#ffmpeg.stdin, 'drain'), this.#ended])
    }
  }

  async end(): Promise<number> {
    this.#ffmpeg.stdin.end()
    await this.#ended
    if (this.#failure !== null) throw this.#failure
    return this.#frames
  }
}

function missing(error: Error): OpError {
  const message = `ffmpeg could not be started: ${messageOf(error)}; install it (Debian: apt install ffmpeg), or export html, apng or gif, which need nothing`
  return new OpError('encoder_missing', message, { program: 'ffmpeg' }, { cause: error })
}

function refused(stderr: string, code: number | null): OpError {
  const message = `ffmpeg ended with ${code}: ${stderr.trim() || 'without a word'}`
  return new OpError('encoder_missing', message, { program: 'ffmpeg', code })
}
