const START = '\x1b[200~'
const END = '\x1b[201~'

/**
 * What a paste sends. Marked as one when the program asked for it, so that nothing in it acts as a command; the end
 * mark inside the text would get it out of there, and is taken away, also where taking one away makes another.
 */
export function encodePaste(text: string, bracketed: boolean): string {
  const typed = text.replaceAll(/\r\n|\n/g, '\r') // a line break is the Enter key
  if (!bracketed) return typed
  let inner = typed
  while (inner.includes(END)) inner = inner.replaceAll(END, '')
  return `${START}${inner}${END}`
}
