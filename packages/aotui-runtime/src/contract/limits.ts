/**
 * How much an app process may send. The app process keeps to these limits by cutting or refusing with a warning; the
 * desktop ends a process that exceeds one. What the desktop holds for one app is bounded by `HELD_CHARS_MAX`.
 */
export const ID_PATTERN = /^[A-Za-z_][\w.-]{0,99}$/
export const ARG_NAME_PATTERN = /^(?!__proto__$)[A-Za-z_][\w-]{0,99}$/

export const VIEWS_MAX = 200 // windows of one app; more could not be told apart
export const VIEW_NAME_CHARS_MAX = 100
export const HANDLE_CHARS_MAX = VIEW_NAME_CHARS_MAX + 20 // a name and the number that tells equal names apart

export const CHUNKS_MAX = 200_000 // of one view
export const TEXT_CHARS_MAX = 200_000 // of one chunk: a long text is many blocks, and each is a chunk
export const HEAD_CHARS_MAX = 2000 // of an item's first line
export const TITLE_CHARS_MAX = 200
export const KEY_CHARS_MAX = 1000
export const VALUE_CHARS_MAX = 64 << 10 // carried by every snapshot that shows the item
export const INDENT_MAX = 64 // lists inside lists inside lists
/** What a cut adds to a text: "… (+12345 characters)". */
export const CUT_NOTE_CHARS_MAX = 100

export const OPERATIONS_MAX = 500 // of one view
export const ENTITIES_MAX = 5000 // of one view
export const LABEL_CHARS_MAX = 200
export const ARGS_MAX = 100 // an operation with more could not be shown sensibly
export const ARGS_CHARS_MAX = 64 << 10 // of the args attribute
export const ARG_DEPTH_MAX = 8
export const ENUM_VALUES_MAX = 200
export const ENUM_CHARS_MAX = 500
export const DESCRIPTION_CHARS_MAX = 200

export const VIEW_CHARS_MAX = 4 << 20 // far more than a model reads; the rest of the view is cut
export const HELD_CHARS_MAX = 32 << 20 // of all views of an app

export const LOG_CHARS_MAX = 2000 // of one line
export const ERROR_CHARS_MAX = 2000
export const APP_DATA_CHARS_MAX = 8 << 20 // carried by acks; an app with more keeps it in its data folder
export const WARNINGS_MAX = 20 // of one ack
