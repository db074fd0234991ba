import type { Artifact, SessionInfo } from '@transom/protocol'
import { markup } from './markup.ts'

/** A file of a bundle, as its page lists it. */
export interface BundledFile {
  /** Relative to the bundle. */
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

export interface BundlePage {
  readonly info: SessionInfo
  readonly artifacts: readonly (Artifact & { readonly name: string })[]
  readonly files: readonly BundledFile[]
  /** What the session showed last. */
  readonly lastScreen: string
  readonly made: string
}

/** The first page of a bundle: what happened, what it looked like, and how to check that nothing was changed. */
export function bundlePage({ info, artifacts, files, lastScreen, made }: BundlePage): string {
  const title = `${info.name ?? info.session}: ${info.command.join(' ')}`
  const facts: [string, string][] = [
    ['Session', info.session],
    ['Command', info.command.join(' ')],
    ['Status', info.status + exitWords(info)],
    ['Created', info.created_at],
    ['Ended', info.ended_at ?? 'not yet'],
    ['Bundled', made],
  ]
  const pictures = artifacts.filter(({ format }) => ['png', 'svg', 'gif'].includes(format))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:; frame-src 'self' file:">
<title>${markup(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${markup(title)}</h1>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${markup(value)}</dd>`).join('')}</dl>
<p><a class="play" href="recording.html">Play the recording</a> <a href="transcript.txt">Transcript</a> <a href="recording.cast">asciicast</a></p>
<h2>Last screen</h2>
<pre>${markup(lastScreen)}</pre>
${pictures.length === 0 ? '' : `<h2>Pictures</h2>\n${pictures.map(figure).join('\n')}`}
${artifacts.length === 0 ? '' : `<h2>Artifacts</h2>\n${artifactTable(artifacts)}`}
<h2>Files</h2>
<p><code>sha256sum -c SHA256SUMS</code> in this folder checks them all.</p>
${fileTable(files)}
</body>
</html>
`
}

function exitWords({ exit }: SessionInfo): string {
  if (exit === null) return ''
  return exit.signal === null ? `, exit code ${exit.code}` : `, by ${exit.signal}`
}

function figure({ name, seq, id }: BundlePage['artifacts'][number]): string {
  return `<figure><img src="${markup(name)}" alt="artifact ${id}"><figcaption>artifact ${id}, at seq ${seq}</figcaption></figure>`
}

function artifactTable(artifacts: BundlePage['artifacts']): string {
  const rows = artifacts.map(
    ({ id, kind, name, seq, time }) =>
      `<tr><td>${id}</td><td>${kind}</td><td><a href="${markup(name)}">${markup(name)}</a></td><td>${seq}</td><td>${markup(time)}</td></tr>`,
  )
  return `<table><tr><th></th><th>kind</th><th>file</th><th>seq</th><th>captured</th></tr>${rows.join('')}</table>`
}

function fileTable(files: readonly BundledFile[]): string {
  const rows = files.map(
    ({ name, bytes, sha256 }) =>
      `<tr><td><a href="${markup(name)}">${markup(name)}</a></td><td>${bytes}</td><td><code>${sha256}</code></td></tr>`,
  )
  return `<table><tr><th>file</th><th>bytes</th><th>SHA-256</th></tr>${rows.join('')}</table>`
}

const STYLE = `
:root { font: 15px/1.5 system-ui, sans-serif; color: #1c2026; background: #fff; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1.5rem; }
dt { color: #667; }
dd { margin: 0; overflow-wrap: anywhere; }
a { color: #0a58a8; margin-right: 1rem; }
.play { background: #0a58a8; color: #fff; padding: .4rem .9rem; border-radius: .4rem; text-decoration: none; }
pre { background: #16181d; color: #d8dce4; padding: 1rem; border-radius: .4rem; overflow: auto; }
table { border-collapse: collapse; font-size: .88rem; display: block; overflow: auto; }
td, th { text-align: left; padding: .15rem 1rem .15rem 0; white-space: nowrap; }
code { font-size: .85em; }
figure { margin: 1rem 0; }
img { max-width: 100%; border-radius: .4rem; }
figcaption { color: #667; font-size: .85rem; }
`
