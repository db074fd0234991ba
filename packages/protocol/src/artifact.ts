import { z } from 'zod'

export const artifactKind = z.enum(['snapshot', 'screenshot', 'recording'])
export type ArtifactKind = z.infer<typeof artifactKind>

/** One entry of a session's artifact manifest. */
export const artifact = z.object({
  id: z.int().describe('Counts from 1 in each session.'),
  kind: artifactKind,
  format: z.string().describe('json, png, cast, html, gif …'),
  seq: z.int().describe('The record of the Event Log up to which it shows the session.'),
  from_seq: z.int().nullable().default(null).describe('The record that a recording begins with.'),
  file: z.string().describe('Its name in the session’s `artifacts` folder.'),
  sha256: z.string(),
  bytes: z.int(),
  time: z.string().describe('When it was captured, ISO 8601.'),
  pinned: z.boolean().default(false).describe('A session with a pinned artifact is kept by `gc`.'),
})
export type Artifact = z.infer<typeof artifact>

/** `artifacts/manifest.json` of a session. */
export const artifactManifest = z.object({ version: z.literal(1), artifacts: z.array(artifact) })
