import type { OperationName, Result } from '@transom/protocol'
import { printable, shortTime, textTable } from './text-layout.ts'

type Renderers = { readonly [N in OperationName]?: (result: Result<N>) => string }

/** What a person is shown of captures and recordings. Part of the table in render.ts. */
export const EVIDENCE_RENDERERS: Renderers = {
  'session.export': ({ path, artifact }) => printable(path ?? artifact?.file ?? ''),
  'session.screenshot': ({ path }) => path,
  'artifacts.list': artifactTable,
  'artifacts.pin': artifactTable,
  'artifacts.unpin': artifactTable,
  'artifacts.bundle': ({ path }) => printable(path),
  'artifacts.verify': ({ artifacts, bytes, problems }) =>
    [
      `${artifacts} artifacts, ${bytes} bytes: all as they were captured`,
      ...problems.map(({ file }) => `${printable(file)} is not in the manifest`),
    ].join('\n'),
}

function artifactTable({ artifacts }: Result<'artifacts.list'>): string {
  const rows = artifacts.map((artifact) => [
    String(artifact.id),
    artifact.kind,
    printable(artifact.format),
    artifact.from_seq === null ? String(artifact.seq) : `${artifact.from_seq}–${artifact.seq}`,
    String(artifact.bytes),
    shortTime(artifact.time),
    artifact.pinned ? 'pinned' : '',
    printable(artifact.file),
  ])
  return textTable([['ID', 'KIND', 'FORMAT', 'SEQ', 'BYTES', 'TIME', '', 'FILE'], ...rows])
}
