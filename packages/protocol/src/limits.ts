/**
 * Bounds of what a caller may send, each with its reason. Every string, list and record in the parameters of an
 * operation has one of these or one of its own (operations.test.ts walks the table), so that a request is refused
 * before it costs anything.
 */

/** An id has 26 characters, a name 64, a conversation 200. */
export const REF_CHARS_MAX = 200
/** Marks and times that a person writes. */
export const LABEL_CHARS_MAX = 200
/** PATH_MAX of Linux. */
export const PATH_CHARS_MAX = 4096
/** Four times what common web servers take in a request line. */
export const URL_CHARS_MAX = 32 << 10
/** A DNS name has 253 characters; a port or a range of addresses may follow. */
export const HOST_CHARS_MAX = 300
/** A person reviews these lists. */
export const HOSTS_MAX = 1000
/** All modifiers, a name and a repeat take less than 60 characters. */
export const KEY_CHARS_MAX = 200
/** What a caller looks for is a line or two. It is compared at every change of a screen, and a pattern is compiled. */
export const SOUGHT_CHARS_MAX = 4096
/** A Screen Hash has 32 characters. */
export const HASH_CHARS_MAX = 64
/** As much as waits for a program that does not read its input; more is given in several calls. */
export const INPUT_CHARS_MAX = 1 << 20
/** The answer to a prompt of a page is a line or a paragraph. */
export const ANSWER_CHARS_MAX = 64 << 10
/** The longest argument or variable that Linux passes to a program (MAX_ARG_STRLEN, 32 pages of 4 KiB). */
export const ARGUMENT_CHARS_MAX = 128 << 10
/** A folder's worth of file names. The kernel stops at 2 MiB in most cases, which 20,000 names of 100 characters have. */
export const ARGUMENTS_MAX = 20_000
/** A login has about 50, a large CI job some hundred. */
export const VARIABLES_MAX = 10_000
/** Arguments and variables together: what Linux passes to a program at most, whatever the limit of its stack. */
export const ENVIRONMENT_CHARS_MAX = 6 << 20
/** Far more than any operation has parameters. */
export const STEP_KEYS_MAX = 64
