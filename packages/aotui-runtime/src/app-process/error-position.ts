/** `file:///app/main.mjs:12:5`: the first line of the stack that is the app's own code. */
export function errorPosition(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('stack' in error) || typeof error.stack !== 'string')
    return undefined
  for (const line of error.stack.split('\n')) {
    const place = /(?:^|[\s(])((?:file:\/\/|data:|\/|[A-Za-z]:\\)[^()]*?:\d+:\d+)\)?$/.exec(line.trim())?.[1]
    if (place !== undefined && !place.includes(OWN_FILE)) return place
  }
  return undefined
}

const OWN_FILE = 'app-process.mjs'
