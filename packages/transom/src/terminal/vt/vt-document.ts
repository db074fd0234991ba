import { UNICODE_VERSION } from '@transom/grid'
import { CONTROL_SEQUENCES } from './csi-names.ts'
import { GAPS } from './gaps.ts'
import { ANSI_MODES, Modes, PRIVATE_MODES, type ModeName } from './modes.ts'

/** What docs/vt.md says. */
export function vtDocument(): string {
  return `${[
    '# The terminal engine',
    'Made by `npm run docs` from `packages/transom/src/terminal/vt/`. Do not edit.',
    'The screen of a terminal session is what this engine makes of the bytes in its Event Log: no clock, no I/O, the same screen for any chunking. [ADR 30](adr/030-our-own-terminal-engine.md) says why it is our own.',
    '## Text',
    `Widths and clusters are those of Unicode ${UNICODE_VERSION}. A cluster takes one cell or two: a flag, a keycap, a ZWJ sequence, an emoji with a skin tone or with U+FE0F takes two; any other one the sum of its code points, two at most. An ASCII character always begins a cluster. \`CSI ? 2027 l\` switches to the widths of single code points. A cluster keeps 32 code points. Ill-formed UTF-8 becomes U+FFFD, one for each maximal subpart.`,
    '## Control sequences',
    table(
      ['CSI', 'name'],
      Object.entries(CONTROL_SEQUENCES).map(([sequence, name]) => [code(sequence), name]),
    ),
    '## Modes',
    table(
      ['mode', 'name', 'after a reset'],
      [
        ...[...ANSI_MODES].map(([mode, name]) => modeRow(`${mode}`, name)),
        ...[...PRIVATE_MODES].map(([mode, name]) => modeRow(`? ${mode}`, name)),
        ['? 47, ? 1047, ? 1048, ? 1049', 'alternate screen, saved cursor', 'off'],
      ],
    ),
    '## What it does not do, or does its own way',
    table(
      ['what', 'instead', 'why'],
      GAPS.map(({ what, instead, why }) => [what, instead, why]),
    ),
  ].join('\n\n')}\n`
}

function modeRow(number: string, name: ModeName): string[] {
  return [number, words(name), new Modes()[name] ? 'on' : 'off']
}

/** `mouseSgrPixels` → `mouse sgr pixels`. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]|\d+/g, (part) => ` ${part.toLowerCase()}`)
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text.replaceAll('|', '\\|')}\``
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
