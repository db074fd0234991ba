/** Something that is wrong with an app, or soon would be. */
export interface Finding {
  readonly level: 'error' | 'warning'
  /** A file with a place in it, or the app. */
  readonly where: string
  readonly text: string
}
