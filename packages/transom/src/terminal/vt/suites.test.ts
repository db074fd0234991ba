import { describe, expect } from 'vitest'
import { needsThat } from '../../../../../test/support/needs.ts'
import { SUITES_FOLDER, hasSuites, runScreens, runSuite } from '../../../../../test/support/vt-suites.ts'
import { VtEmulator } from './vt-emulator.ts'

const create = (cols: number, rows: number, scrollbackLines: number) =>
  new VtEmulator(cols, rows, { scrollbackLines })

/**
 * The cases that fail, and why. "Contradiction" is where suites disagree: xterm decides, then ghostty. "Theirs" is
 * where the suite expects its own program's name, limits or choices.
 */
const EXPLAINED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  screens: {
    't0032-VPB': 'contradiction: ECMA-48, ghostty and libvterm have VPB, which xterm has not',
    't0033-VPB_scroll': 'contradiction: ECMA-48, ghostty and libvterm have VPB, which xterm has not',
  },
  alacritty: {
    decaln_reset: 'theirs: DECALN homes the cursor (VT100, xterm, ghostty)',
    deccolm_reset: 'contradiction: DECCOLM is ignored unless mode 40 allows it (xterm, ghostty)',
    erase_in_line: 'contradiction: EL at a pending wrap erases the last column (xterm, ghostty)',
    selective_erasure: 'theirs: DECSCA and selective erase are not implemented there',
    underline: 'contradiction: SGR 21 is a double underline (ECMA-48, xterm)',
  },
  'vt100-rust': {
    'alternate_buffer/': 'contradiction: both screens share the cursor, and 47 does not move it (xterm)',
    'attrs/7': 'theirs: bold and dim exclude each other there',
    'attrs/10': 'theirs: an erase keeps inverse and underline there; xterm keeps the background alone',
    'combining/14': 'contradiction: BS at a pending wrap goes to the last but one column (xterm)',
    'decstbm/':
      'contradiction: DECSTBM homes the cursor to the top of the screen unless in origin mode (xterm)',
    'ff/5': 'contradiction: a line feed ends a pending wrap (xterm, ghostty)',
    'lf/5': 'contradiction: a line feed ends a pending wrap (xterm, ghostty)',
    'vt/5': 'contradiction: a line feed ends a pending wrap (xterm, ghostty)',
    'wrap/21': 'contradiction: a line feed ends a pending wrap (xterm, ghostty)',
    'ich_dch_ech/15': 'theirs: ICH between the halves of a wide character keeps it there',
    'wide/9': 'theirs: ICH between the halves of a wide character keeps it there',
    'wide/24': 'contradiction: BS at a pending wrap goes to the last but one column (xterm)',
    'il_dl/': 'contradiction: IL and DL move the cursor to the left margin (VT102, xterm)',
    'origin_mode/': 'contradiction: both screens share margins and origin mode (xterm)',
  },
  libvterm: {
    '10state_putglyph: Spare combining': 'theirs: a cell holds six code points there',
    '61screen_unicode: 10 combining': 'theirs: a cell holds six code points there',
    '61screen_unicode: 40 combining': 'theirs: a cell holds six code points there',
    '13state_edit: IL': 'contradiction: IL moves the cursor to the left margin (VT102, xterm)',
    '13state_edit: DECRQSS on DECSCA': 'contradiction: the answer is 0 or 1 (xterm)',
    '26state_query: DA': 'theirs: the answer tells the terminal',
    '26state_query: XTVERSION': 'theirs: the answer tells the terminal',
    '26state_query: DECCPR': 'contradiction: DECXCPR has a page number (DEC, xterm)',
    '26state_query: DECRQSS on SGR': 'contradiction: the answer begins with 0 (xterm)',
    '31state_rep: REP till end of line': 'contradiction: repeated characters wrap (xterm)',
  },
}

function unexplained(suite: string, failures: ReadonlyMap<string, string>): string[] {
  const known = Object.keys(EXPLAINED[suite] ?? {})
  return [...failures.keys()].filter((name) => !known.some((start) => name.startsWith(start)))
}

describe("other projects' terminal cases", () => {
  const suiteTest = needsThat(hasSuites, `the cases in ${SUITES_FOLDER}`)

  suiteTest('pass as often as noted, and every other one is explained', () => {
    const results = {
      screens: runScreens(create),
      alacritty: runSuite('alacritty', create),
      'vt100-rust': runSuite('vt100-rust', create),
      libvterm: runSuite('libvterm', create),
    }
    const passes = Object.entries(results).map(([suite, { total, failures }]) => [
      suite,
      `${total - failures.size} of ${total}`,
    ])
    expect(passes).toEqual([
      ['screens', '74 of 76'],
      ['alacritty', '38 of 43'],
      ['vt100-rust', '332 of 367'],
      ['libvterm', '213 of 227'],
    ])
    for (const [suite, { failures }] of Object.entries(results))
      expect(unexplained(suite, failures), suite).toEqual([])
  })

  suiteTest('every explanation is of a case that fails', () => {
    const failing = [
      ...runScreens(create).failures.keys(),
      ...(['alacritty', 'vt100-rust', 'libvterm'] as const).flatMap((suite) => [
        ...runSuite(suite, create).failures.keys(),
      ]),
    ]
    const stale = Object.values(EXPLAINED)
      .flatMap((reasons) => Object.keys(reasons))
      .filter((start) => !failing.some((name) => name.startsWith(start)))
    expect(stale).toEqual([])
  })
})
