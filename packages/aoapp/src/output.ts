import type { DeveloperLine } from '@aotui/runtime'

/** Where commands write: lines for people, or one JSON object. */
export interface Output {
  line(text: string): void
  /** What the app prints or does wrong. */
  developerLine(line: DeveloperLine): void
  /** The result as a whole; printed only with `--json`. */
  result(value: object): void
}

export function makeOutput(json: boolean): Output {
  return {
    line: (text) => {
      if (!json) process.stdout.write(`${text}\n`)
    },
    developerLine: (line) => {
      if (!json) process.stderr.write(`${developerText(line)}\n`)
    },
    result: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value)}\n`)
    },
  }
}

function developerText({ level, text, at }: DeveloperLine): string {
  return `  ${level}: ${visible(text)}${at === undefined ? '' : ` (${at})`}`
}

/** What an app prints must not steer the terminal. */
export function visible(text: string): string {
  // oxlint-disable-next-line no-control-regex -- those are what is replaced
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd')
}
