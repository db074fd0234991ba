/**
 * The state machine of Paul Williams (https://vt100.net/emu/dec_ansi_parser) as a table: what to do with a character
 * in a state, and which state comes next. What the sequences mean is not known here.
 */
export const GROUND = 0
const ESCAPE = 1
const ESCAPE_INTERMEDIATE = 2
const CSI_ENTRY = 3
const CSI_PARAM = 4
const CSI_INTERMEDIATE = 5
const CSI_IGNORE = 6
export const OSC_STRING = 7
const DCS_ENTRY = 8
const DCS_PARAM = 9
const DCS_INTERMEDIATE = 10
const DCS_DATA = 11
const DCS_IGNORE = 12
/** SOS, PM and APC. */
const OTHER_STRING = 13
const STATES = 14

const IGNORE = 0
export const PRINT = 1
export const EXECUTE = 2
export const CLEAR = 3
export const COLLECT = 4
export const PARAM = 5
export const ESC_DISPATCH = 6
export const CSI_DISPATCH = 7
export const STRING_START = 8
export const STRING_PUT = 9
export const STRING_END = 10
export const STRING_CANCEL = 11
export const DCS_START = 12

/** Characters from here on are all alike: printed in text, part of a string, ignored in a sequence. */
export const TABLE_CHARACTERS = 0xa1
const ACTION_SHIFT = 4
export const STATE_MASK = 0xf

export const TRANSITIONS: Uint8Array = createTransitions()

export function actionOf(transition: number): number {
  return transition >> ACTION_SHIFT
}

function createTransitions(): Uint8Array {
  const table = new Uint8Array(STATES * TABLE_CHARACTERS)
  const set = (state: number, from: number, to: number, action: number, next: number = state) => {
    for (let character = from; character <= to; character++)
      table[state * TABLE_CHARACTERS + character] = (action << ACTION_SHIFT) | next
  }
  for (let state = 0; state < STATES; state++) set(state, 0, TABLE_CHARACTERS - 1, IGNORE)
  for (const state of [
    GROUND,
    ESCAPE,
    ESCAPE_INTERMEDIATE,
    CSI_ENTRY,
    CSI_PARAM,
    CSI_INTERMEDIATE,
    CSI_IGNORE,
  ])
    set(state, 0x00, 0x1f, EXECUTE)
  setText(set)
  setEscape(set)
  setCsi(set)
  setStrings(set)
  for (let state = 0; state < STATES; state++) setAnywhere(set, state)
  return table
}

type SetTransitions = (state: number, from: number, to: number, action: number, next?: number) => void

function setText(set: SetTransitions): void {
  set(GROUND, 0x20, 0x7e, PRINT)
  set(GROUND, 0xa0, 0xa0, PRINT)
}

function setEscape(set: SetTransitions): void {
  set(ESCAPE, 0x20, 0x2f, COLLECT, ESCAPE_INTERMEDIATE)
  set(ESCAPE, 0x30, 0x7e, ESC_DISPATCH, GROUND)
  set(ESCAPE, 0x5b, 0x5b, CLEAR, CSI_ENTRY)
  set(ESCAPE, 0x5d, 0x5d, STRING_START, OSC_STRING)
  set(ESCAPE, 0x50, 0x50, CLEAR, DCS_ENTRY)
  for (const introducer of [0x58, 0x5e, 0x5f]) set(ESCAPE, introducer, introducer, STRING_START, OTHER_STRING)
  set(ESCAPE_INTERMEDIATE, 0x20, 0x2f, COLLECT)
  set(ESCAPE_INTERMEDIATE, 0x30, 0x7e, ESC_DISPATCH, GROUND)
}

function setCsi(set: SetTransitions): void {
  set(CSI_ENTRY, 0x20, 0x2f, COLLECT, CSI_INTERMEDIATE)
  set(CSI_ENTRY, 0x30, 0x3b, PARAM, CSI_PARAM)
  set(CSI_ENTRY, 0x3c, 0x3f, COLLECT, CSI_PARAM)
  set(CSI_PARAM, 0x20, 0x2f, COLLECT, CSI_INTERMEDIATE)
  set(CSI_PARAM, 0x30, 0x3b, PARAM)
  set(CSI_PARAM, 0x3c, 0x3f, IGNORE, CSI_IGNORE)
  set(CSI_INTERMEDIATE, 0x20, 0x2f, COLLECT)
  set(CSI_INTERMEDIATE, 0x30, 0x3f, IGNORE, CSI_IGNORE)
  for (const state of [CSI_ENTRY, CSI_PARAM, CSI_INTERMEDIATE]) set(state, 0x40, 0x7e, CSI_DISPATCH, GROUND)
  set(CSI_IGNORE, 0x40, 0x7e, IGNORE, GROUND)
}

function setStrings(set: SetTransitions): void {
  set(OSC_STRING, 0x20, 0xa0, STRING_PUT)
  set(OSC_STRING, 0x07, 0x07, STRING_END, GROUND)
  set(OTHER_STRING, 0x00, 0xa0, STRING_PUT)
  set(DCS_ENTRY, 0x20, 0x2f, COLLECT, DCS_INTERMEDIATE)
  set(DCS_ENTRY, 0x30, 0x3b, PARAM, DCS_PARAM)
  set(DCS_ENTRY, 0x3c, 0x3f, COLLECT, DCS_PARAM)
  set(DCS_PARAM, 0x20, 0x2f, COLLECT, DCS_INTERMEDIATE)
  set(DCS_PARAM, 0x30, 0x3b, PARAM)
  set(DCS_PARAM, 0x3c, 0x3f, IGNORE, DCS_IGNORE)
  set(DCS_INTERMEDIATE, 0x20, 0x2f, COLLECT)
  set(DCS_INTERMEDIATE, 0x30, 0x3f, IGNORE, DCS_IGNORE)
  for (const state of [DCS_ENTRY, DCS_PARAM, DCS_INTERMEDIATE]) set(state, 0x40, 0x7e, DCS_START, DCS_DATA)
  set(DCS_DATA, 0x00, 0xa0, STRING_PUT)
  set(DCS_DATA, 0x7f, 0x7f, IGNORE)
}

/** CAN, SUB, ESC and the C1 controls end whatever was going on. */
function setAnywhere(set: SetTransitions, state: number): void {
  const inString = state === OSC_STRING || state === DCS_DATA || state === OTHER_STRING
  const end = inString ? STRING_END : IGNORE
  set(state, 0x18, 0x18, inString ? STRING_CANCEL : EXECUTE, GROUND)
  set(state, 0x1a, 0x1a, inString ? STRING_CANCEL : EXECUTE, GROUND)
  set(state, 0x1b, 0x1b, inString ? STRING_END : CLEAR, ESCAPE)
  // Inside a string these are taken from the encoded text: only ST ends it.
  if (inString) {
    set(state, 0x9c, 0x9c, STRING_END, GROUND)
    return
  }
  set(state, 0x80, 0x9f, EXECUTE, GROUND)
  set(state, 0x9c, 0x9c, end, GROUND)
  set(state, 0x9b, 0x9b, CLEAR, CSI_ENTRY)
  set(state, 0x9d, 0x9d, STRING_START, OSC_STRING)
  set(state, 0x90, 0x90, CLEAR, DCS_ENTRY)
  for (const introducer of [0x98, 0x9e, 0x9f]) set(state, introducer, introducer, STRING_START, OTHER_STRING)
}
