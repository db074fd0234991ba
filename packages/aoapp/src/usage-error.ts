/** A mistake of the caller: shown as it is, without a stack. */
export class UsageError extends Error {}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
