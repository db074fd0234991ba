/** Which operating system this is. In a file of its own, so that a small program does not carry the rest. */
export function systemName(): string {
  return process.platform
}
