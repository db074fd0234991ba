import { AotuiError, type AotuiErrorData } from '../contract/aotui-error.ts'

/** A syntax error that says where it is: line and column count from 1, `offset` from 0. */
export function syntaxError(
  source: string,
  offset: number,
  problem: string,
  data: AotuiErrorData = {},
): AotuiError {
  const before = source.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  return new AotuiError('E_INVALID_CMD', `${problem} at line ${line}, column ${column}`, {
    reason: 'syntax',
    ...data,
    line,
    column,
    offset,
  })
}
