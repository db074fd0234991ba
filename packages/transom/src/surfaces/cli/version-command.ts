import { PROTOCOL_VERSION, VERSION } from '@transom/protocol/version'
import { localCommand } from './local-command.ts'

export const versionCommand = localCommand({
  command: 'version',
  summary: 'Print the version.',
  examples: ['transom version', 'transom version --json'],
  run: ({ answer }) => {
    answer({ version: VERSION, protocol: PROTOCOL_VERSION }, VERSION)
    return 0
  },
})
