/** What the line at the cursor ends with while a password is asked for, also after the first characters of a mask. */
const PASSWORD_PROMPT =
  /(?:pass\s?(?:word|phrase|code)|passwd|\bPIN\b|\bsecret\b|verification code|one-time code)[^:>?]{0,80}[:>?]\s*[*\u2022\u25cf\u00b7]*\s*$/i
/** A shell's prompt comes before it: a line that is being edited, not a question. */
const SHELL_PROMPT = /(?:^|\s|[\w~/)\]])[$#%\u276f\u279c\u00bb\u03bb]\s/

/**
 * Whether a line asks for a password. For programs that take the terminal out of line mode, as `ssh` does for the whole
 * session: then the terminal does not tell a password from other input. In doubt it is one: its length is logged still.
 */
export function asksForPassword(prompt: string): boolean {
  return PASSWORD_PROMPT.test(prompt) && !SHELL_PROMPT.test(prompt)
}
