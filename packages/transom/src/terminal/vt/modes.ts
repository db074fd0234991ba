/** Every mode of the terminal that is on or off, with its state after a reset. */
export class Modes {
  // ANSI modes
  keyboardLocked = false
  insert = false
  sendReceive = true
  newline = false
  // DEC private modes
  applicationCursor = false
  columns132 = false
  smoothScroll = false
  reverseScreen = false
  origin = false
  autowrap = true
  autoRepeat = true
  cursorBlink = false
  cursorVisible = true
  printFormFeed = false
  printExtent = false
  hebrewKeyboard = false
  allowColumns132 = false
  tabAfterWrap = false
  nationalCharsets = false
  reverseWrap = false
  reverseWrapExtended = false
  applicationKeypad = false
  backarrowSendsBackspace = false
  leftRightMargins = false
  keepScreenOnColumns = false
  mouseX10 = false
  mouseNormal = false
  mouseButton = false
  mouseAny = false
  focusEvents = false
  mouseUtf8 = false
  mouseSgr = false
  mouseUrxvt = false
  mouseSgrPixels = false
  alternateScroll = false
  metaSendsEscape = false
  altSendsEscape = false
  bracketedPaste = false
  synchronized = false
  clusters = true
  colorSchemeReports = false
  sizeReports = false
}

export type ModeName = keyof Modes

export const ANSI_MODES: ReadonlyMap<number, ModeName> = new Map<number, ModeName>([
  [2, 'keyboardLocked'],
  [4, 'insert'],
  [12, 'sendReceive'],
  [20, 'newline'],
])

/** 47, 1047, 1048 and 1049 are not here: they are actions on the screens. */
export const PRIVATE_MODES: ReadonlyMap<number, ModeName> = new Map<number, ModeName>([
  [1, 'applicationCursor'],
  [3, 'columns132'],
  [4, 'smoothScroll'],
  [5, 'reverseScreen'],
  [6, 'origin'],
  [7, 'autowrap'],
  [8, 'autoRepeat'],
  [9, 'mouseX10'],
  [12, 'cursorBlink'],
  [18, 'printFormFeed'],
  [19, 'printExtent'],
  [25, 'cursorVisible'],
  [35, 'hebrewKeyboard'],
  [40, 'allowColumns132'],
  [41, 'tabAfterWrap'],
  [42, 'nationalCharsets'],
  [45, 'reverseWrap'],
  [66, 'applicationKeypad'],
  [67, 'backarrowSendsBackspace'],
  [69, 'leftRightMargins'],
  [95, 'keepScreenOnColumns'],
  [1000, 'mouseNormal'],
  [1002, 'mouseButton'],
  [1003, 'mouseAny'],
  [1004, 'focusEvents'],
  [1005, 'mouseUtf8'],
  [1006, 'mouseSgr'],
  [1007, 'alternateScroll'],
  [1015, 'mouseUrxvt'],
  [1016, 'mouseSgrPixels'],
  [1036, 'metaSendsEscape'],
  [1039, 'altSendsEscape'],
  [1045, 'reverseWrapExtended'],
  [2004, 'bracketedPaste'],
  [2026, 'synchronized'],
  [2027, 'clusters'],
  [2031, 'colorSchemeReports'],
  [2048, 'sizeReports'],
])

/** Of each group one mode can be on. */
export const MOUSE_TRACKING: readonly ModeName[] = ['mouseX10', 'mouseNormal', 'mouseButton', 'mouseAny']
export const MOUSE_ENCODINGS: readonly ModeName[] = ['mouseUtf8', 'mouseSgr', 'mouseUrxvt', 'mouseSgrPixels']
