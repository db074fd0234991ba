import type { Command, CommandParam } from '@transom/protocol'

/**
 * A message of the host in the words of the command line. The host writes the name of a parameter in backticks
 * (ADR 048): `timeout_ms` becomes --timeout, and `signal`, which is given by its place, SIGNAL. The names are those of
 * `command`, and where it is not known those of any command.
 */
export function spellParameters(message: string, commands: readonly Command[], command?: Command): string {
  const params = (command === undefined ? commands : [command, ...commands]).flatMap((it) => it.params)
  return message.replaceAll(/`([a-z][a-z0-9_]*)`/g, (quoted, name: string) => {
    const param = params.find((it) => it.name === name)
    return param === undefined ? quoted : parameterLabel(param)
  })
}

function parameterLabel({ flag, placeholder, name }: CommandParam): string {
  return flag === null ? (placeholder ?? name.toUpperCase()) : `--${flag}`
}
