// @ts-check
/** Output as programs print it, made up here so that every machine has the same. */

/** A generator of its own: the same numbers in every run. */
function createRandom() {
  let seed = 1
  return (/** @type {number} */ below) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
    return seed % below
  }
}

/**
 * @param {number} bytes
 * @param {(line: number, random: (below: number) => number) => string} piece
 */
function repeat(bytes, piece) {
  const random = createRandom()
  const pieces = []
  for (let length = 0, line = 0; length < bytes; line++) {
    const part = Buffer.from(piece(line, random))
    pieces.push(part)
    length += part.length
  }
  return Buffer.concat(pieces)
}

/** @type {Readonly<Record<string, (bytes: number) => Buffer>>} */
export const CORPORA = {
  seq: (bytes) => repeat(bytes, (line) => `${line}\r\n`),
  'ls --color': (bytes) =>
    repeat(
      bytes,
      (line) =>
        `\x1b[0m\x1b[01;34mfolder${line}\x1b[0m  \x1b[01;32mprogram${line % 97}\x1b[0m  file${line}.txt  \x1b[01;31marchive.tar.gz\x1b[0m\r\n`,
    ),
  gcc: (bytes) =>
    repeat(
      bytes,
      (line) =>
        `\x1b[01m\x1b[Ksrc/main.c:${line}:17:\x1b[m\x1b[K \x1b[01;35m\x1b[Kwarning: \x1b[m\x1b[Kunused variable \x1b[01m\x1b[Kx${line}\x1b[m\x1b[K [\x1b[01;35m\x1b[K-Wunused-variable\x1b[m\x1b[K]\r\n`,
    ),
  'full-screen program': (bytes) =>
    repeat(
      bytes,
      (_, random) =>
        `\x1b[${1 + random(40)};${1 + random(100)}H\x1b[38;5;${random(256)}m\x1b[48;5;${random(256)}mitem ${random(1000)}\x1b[39;49m\x1b(B\x1b[m\x1b[K`,
    ),
  unicode: (bytes) =>
    repeat(bytes, (line) => `漢字かな交じり文 ${line} żółć Ünïcödé Привет мир 👍🏽 ✓ ─│┌┐\r\n`),
  'dense cells': (bytes) =>
    repeat(
      bytes,
      (line, random) =>
        `\x1b[38;5;${random(256)};48;5;${random(256)};${1 + random(9)}m${String.fromCharCode(65 + (line % 26))}`,
    ),
  'medium cells': (bytes) =>
    repeat(
      bytes,
      (line, random) =>
        `\x1b[38;2;${random(16) * 16};${random(16) * 16};0m${'abcdefghijkl'.slice(0, 3 + random(9))}${line % 12 === 0 ? '\r\n' : ''}`,
    ),
  'cursor motion': (bytes) => repeat(bytes, (_, random) => `\x1b[${1 + random(40)};${1 + random(120)}HA`),
  'scrolling in a region': (bytes) =>
    Buffer.concat([Buffer.from('\x1b[1;39r\x1b[39;1H'), repeat(bytes, (line) => `line ${line % 10}\r\n`)]),
}
