/** What programs ask a terminal of 80 × 24 at their start, from their sources, and what they are to be answered. */
export interface StartQueries {
  readonly program: string
  readonly asks: string
  readonly answers: readonly string[]
}

const DA1 = '\x1b[?62;22c'
const BACKGROUND = '\x1b]11;rgb:1818/1818/1818\x1b\\'
const FOREGROUND = '\x1b]10;rgb:d8d8/d8d8/d8d8\x1b\\'
const NO_KITTY_KEYS = '\x1b[?0u'
const mode = (number: number, state: number) => `\x1b[?${number};${state}$y`
const ask = (...modes: number[]) => modes.map((number) => `\x1b[?${number}$p`).join('')

export const START_QUERIES: readonly StartQueries[] = [
  {
    program: 'neovim',
    asks: `${ask(69, 2026, 2027, 2031, 2048)}\x1b[0m\x1b[4:3m\x1bP$qm\x1b\\\x1b[0m\x1b[?u\x1b]11;?\x07\x1b[c`,
    answers: [
      mode(69, 2),
      mode(2026, 2),
      mode(2027, 1),
      mode(2031, 2),
      mode(2048, 2),
      '\x1bP1$r0;4:3m\x1b\\',
      NO_KITTY_KEYS,
      BACKGROUND,
      DA1,
    ],
  },
  {
    program: 'helix',
    asks: `${ask(2026)}\x1b[?996n\x1b[48;2;150;150;150m\x1bP$qm\x1b\\\x1b[0m\x1b]11;?\x1b\\\x1b[?u\x1b[c`,
    answers: [
      mode(2026, 2),
      '\x1b[?997;1n',
      '\x1bP1$r0;48:2::150:150:150m\x1b\\',
      BACKGROUND,
      NO_KITTY_KEYS,
      DA1,
    ],
  },
  {
    program: 'bubbletea',
    asks: `${ask(2026, 2027)}\x1b[c`,
    answers: [mode(2026, 2), mode(2027, 1), DA1],
  },
  {
    program: 'opentui, with images and text sizes',
    asks: `\x1b[>q${ask(1004, 1016, 2004, 2026, 2027, 2031)}\x1b[?996n\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[?1;1;0S\x1b]66;w=1; \x1b\\\x1b[c`,
    answers: [
      '\x1bP>|transom(1)\x1b\\',
      mode(1004, 2),
      mode(1016, 2),
      mode(2004, 2),
      mode(2026, 2),
      mode(2027, 1),
      mode(2031, 2),
      '\x1b[?997;1n',
      DA1,
    ],
  },
  {
    program: 'notcurses',
    asks: `\x1b[6n\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[?u${ask(2026, 1016)}\x1b[?2;1;0S\x1b[14t\x1b[18t\x1b[=c\x1b[>c\x1b[c`,
    answers: [
      '\x1b[1;1R',
      FOREGROUND,
      BACKGROUND,
      NO_KITTY_KEYS,
      mode(2026, 2),
      mode(1016, 2),
      '\x1b[4;384;640t',
      '\x1b[8;24;80t',
      '\x1bP!|00000000\x1b\\',
      '\x1b[>1;100;0c',
      DA1,
    ],
  },
  {
    program: 'tmux',
    asks: `\x1b[>c\x1b[>q${ask(2026)}\x1b]10;?\x1b\\\x1b]11;?\x1b\\${ask(2031)}\x1b[?996n\x1b[18t\x1b[14t\x1b[c`,
    answers: [
      '\x1b[>1;100;0c',
      '\x1bP>|transom(1)\x1b\\',
      mode(2026, 2),
      FOREGROUND,
      BACKGROUND,
      mode(2031, 2),
      '\x1b[?997;1n',
      '\x1b[8;24;80t',
      '\x1b[4;384;640t',
      DA1,
    ],
  },
  {
    program: 'textual',
    asks: `${ask(2026, 2048, 1016)}\x1b[?u\x1b[c`,
    answers: [mode(2026, 2), mode(2048, 2), mode(1016, 2), NO_KITTY_KEYS, DA1],
  },
  {
    program: 'codex',
    asks: '\x1b[6n\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[?u\x1b[c',
    answers: ['\x1b[1;1R', FOREGROUND, BACKGROUND, NO_KITTY_KEYS, DA1],
  },
  { program: 'ink', asks: '\x1b[?u\x1b[c', answers: [NO_KITTY_KEYS, DA1] },
]
