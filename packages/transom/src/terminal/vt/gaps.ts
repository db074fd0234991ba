/** What the engine does not do, or does otherwise than some terminals, and why. docs/vt.md is made from it. */
export interface Gap {
  readonly what: string
  readonly instead: string
  readonly why: string
}

export const GAPS: readonly Gap[] = [
  {
    what: 'Images: sixel, kitty graphics, OSC 1337, ReGIS',
    instead: 'swallowed, and not advertised in any answer',
    why: 'programs fall back to text, which an agent can read',
  },
  {
    what: 'OSC 52 (clipboard)',
    instead: 'swallowed; a query is not answered',
    why: "a session has no clipboard, and a program must not read its host's",
  },
  {
    what: 'OSC 9, 22, 66, 99, 633, 777',
    instead: 'swallowed',
    why: 'notifications, pointer shapes and text sizes show nothing on a screen',
  },
  {
    what: 'OSC 133',
    instead: 'the row where a prompt begins is marked; the other marks are swallowed',
    why: 'blocks have marks of their own, with a nonce',
  },
  {
    what: 'Reports of title and icon name (CSI 20 t, CSI 21 t)',
    instead: 'answered empty',
    why: "a program's own text is never typed back to it",
  },
  {
    what: 'DECCOLM (mode 3)',
    instead: 'with mode 40 it clears the screen; the width stays',
    why: "the size belongs to the session's owner",
  },
  {
    what: 'Window operations that move, resize or raise',
    instead: 'ignored',
    why: 'there is no window',
  },
  {
    what: 'VT52 mode (mode 2), Tektronix, locator (DECELR), macros, user-defined keys, downloaded fonts',
    instead: 'ignored',
    why: 'no program of today needs them',
  },
  {
    what: 'Palette and dynamic colours that a program sets',
    instead: 'kept and reported; pictures keep the theme',
    why: 'a cell says which palette entry it has, not what colour that was at the time',
  },
  {
    what: 'Lines of double width and height',
    instead: 'half as many columns; a frame does not tell the size',
    why: 'the Grid has no such rows',
  },
  {
    what: 'Reverse wrap (modes 45 and 1045)',
    instead: 'both go back over any line',
    why: 'as mode 45 of xterm did until 2023; the suites are of that time',
  },
  {
    what: 'REP',
    instead: 'repeats the last printed cluster, unless anything but SGR or REP came between',
    why: 'as xterm; ECMA-48 leaves it undefined',
  },
  {
    what: 'DECRC after scrolling',
    instead: 'a pending wrap is not restored',
    why: 'it belongs to the line that was written, and another one is there',
  },
  {
    what: 'Bytes 0x80 to 0x9f',
    instead: 'U+FFFD; as U+0080 to U+009F in UTF-8 they are C1 controls',
    why: 'input is UTF-8',
  },
]
