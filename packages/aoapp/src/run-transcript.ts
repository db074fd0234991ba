import { AotuiError, type DeveloperLine } from '@aotui/runtime'
import { AppDriver } from './app-driver.ts'
import { lineDiff } from './line-diff.ts'
import { matchesView, type Step, type TranscriptCase } from './transcript.ts'
import { messageOf } from './usage-error.ts'

export interface CaseResult {
  readonly title: string
  readonly line: number
  readonly failures: readonly { readonly line: number; readonly text: string }[]
  readonly developerLog: readonly DeveloperLine[]
  /** What each view block would have to say. */
  readonly shown: ReadonlyMap<ViewStep['block'], string>
}

type ViewStep = Step & { kind: 'view' }

/** Drives a fresh app through a case. Views that differ are noted; a command that fails ends the case. */
export async function runCase(dir: string, one: TranscriptCase): Promise<CaseResult> {
  const { title, line, steps } = one
  const failures: { line: number; text: string }[] = []
  const shown = new Map<ViewStep['block'], string>()
  const app = await AppDriver.open(dir)
  try {
    const { error } = app.info
    if (error !== undefined) failures.push({ line, text: `the app does not start: ${error.message}` })
    for (const step of error === undefined ? steps : []) {
      const failure = await runStep(app, step, shown)
      if (failure === undefined) continue
      failures.push({ line: step.line, text: failure })
      if (step.kind !== 'view') break // what follows would only be about this
    }
    return { title, line, failures, developerLog: app.developerLog(), shown }
  } finally {
    await app.close()
  }
}

async function runStep(
  app: AppDriver,
  step: Step,
  shown: Map<ViewStep['block'], string>,
): Promise<string | undefined> {
  switch (step.kind) {
    case 'run':
      for (const command of step.commands) {
        const failure = await failureOf(app, command)
        if (failure !== undefined) return `${command}\n${describe(failure)}`
      }
      return undefined
    case 'fails': {
      const failure = await failureOf(app, step.command)
      if (failure?.code === step.code) return undefined
      return `${step.command}\nshould fail with ${step.code}; ${failure === undefined ? 'it succeeded' : `it failed with ${describe(failure)}`}`
    }
    case 'restart': {
      await app.restart()
      const { error } = app.info
      return error === undefined ? undefined : `the app does not start again: ${error.message}`
    }
    case 'view':
      return compareView(app, step, shown)
    default:
      return step satisfies never
  }
}

function compareView(
  app: AppDriver,
  { name, block }: ViewStep,
  shown: Map<ViewStep['block'], string>,
): string | undefined {
  let text: string
  try {
    text = app.view(name)
  } catch (error) {
    return messageOf(error)
  }
  if (matchesView(block.text, text)) return undefined
  shown.set(block, text)
  return ['the view is not as expected (-), but (+):', ...lineDiff(block.text, text)].join('\n')
}

/** Every command is given after a look, as an agent gives it. */
async function failureOf(app: AppDriver, command: string): Promise<AotuiError | undefined> {
  app.look()
  try {
    await app.execute(command)
    return undefined
  } catch (error) {
    if (error instanceof AotuiError) return error
    throw error
  }
}

function describe({ code, message }: AotuiError): string {
  return `${code}: ${message}`
}
