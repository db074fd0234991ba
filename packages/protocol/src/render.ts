/**
 * What a person is shown of a result, as plain data: the CLI has the operation table without its code.
 * What comes from a program, a file name or an argument is escaped; nothing of it controls the terminal.
 */
export type Render = RenderPart | readonly RenderPart[]

export type RenderPart =
  /** For acts whose success is all that there is to say. */
  | 'nothing'
  | { readonly text: Template }
  /** A line for each item of the list `lines`. */
  | { readonly lines: string; readonly each: Template }
  /** A row for each item of the list `table`, with columns by their headings. */
  | { readonly table: string; readonly columns: Readonly<Record<string, Template>> }
  /** A line for each field; those named here in another form, and those in `omit` not at all. */
  | { readonly fields: Readonly<Record<string, Template>>; readonly omit?: readonly string[] }
  /** The Snapshot Result in the field `screen`, between lines, if the parameter `ifGiven` is set. */
  | { readonly screen: string; readonly ifGiven: string }
  /** A renderer of the CLI (surfaces/cli/render.ts), for what these forms cannot express. */
  | { readonly code: CodeRenderer }

export type CodeRenderer = 'screen' | 'collection' | 'repair'

/**
 * Text with values in it: `{path.to.value}`; `{one|other}` for the first that is there, `{one|"words"}` for words where
 * there is none; `{path:format}` with a format of TEMPLATE_FORMATS in surfaces/cli/template.ts. `[…]` is left out unless
 * each value in it is there; `{?path}` and `{!path}` in it print nothing and ask whether a value is there, or is not.
 * Null, false and what is empty are not there.
 */
export type Template = string
