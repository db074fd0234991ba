/** Shell code, as a text without comments, blank lines and indentation (scripts/shell-files.mjs). */
declare module '*.bash' {
  const text: string
  export default text
}
declare module '*.zsh' {
  const text: string
  export default text
}
declare module '*.fish' {
  const text: string
  export default text
}
declare module '*.sh' {
  const text: string
  export default text
}
