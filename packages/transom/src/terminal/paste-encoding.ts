const START = '\x1b[200~'
const END = '\x1b[201~'
/** Marks within marks so deep are an attack, which would take a pass for each of them: no escape is left of it. */
const PASSES_MAX = 8

/**
 * What a paste sends. Marked as one when the program asked for it, so that nothing in it acts as a command; the end
 * mark inside the text would get it out of there, and is taken away, also where taking one away makes another.
 */
export function encodePaste(text: string, bracketed: boolean): string {
  const typed = text.replaceAll(/\r\n|\n/g, '\r') // a line break is the Enter key
  if (!bracketed) return typed
  let inner = typed
  for (let pass = 0; inner.includes(END); pass++)
    inner = pass < PASSES_MAX ? inner.replaceAll(END, '') : inner.replaceAll('\x1b', '')
  return `${START}${inner}${END}`
}
