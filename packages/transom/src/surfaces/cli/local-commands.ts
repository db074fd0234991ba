import { batchCommand } from './batch-command.ts'
import { completeCommand, completionCommand } from './completion-command.ts'
import { doctorCommand } from './doctor-command.ts'
import { GATEWAY_COMMANDS } from './gateway-commands.ts'
import { helpCommand } from './help-command.ts'
import type { LocalCommand } from './local-command.ts'
import { attachCommand } from './attach-command.ts'
import { replayCommand } from './replay-command.ts'
import { skillsGetCommand, skillsListCommand } from './skills-command.ts'
import { screenshotDiffCommand } from './screenshot-diff-command.ts'
import { versionCommand } from './version-command.ts'
import { watchCommand } from './watch-command.ts'

/** The commands that the client carries out itself, listed in help after those of the operation table. */
export const LOCAL_COMMANDS: readonly LocalCommand[] = [
  batchCommand,
  attachCommand,
  replayCommand,
  watchCommand,
  ...GATEWAY_COMMANDS,
  skillsListCommand,
  skillsGetCommand,
  screenshotDiffCommand,
  doctorCommand,
  completionCommand,
  helpCommand,
  versionCommand,
  completeCommand,
]
