/** A table with its columns aligned; the first row is the heading. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** One line for each value that is there. */
export function fields(record: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(record).filter(([, value]) => value !== null && value !== undefined)
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value))}`).join('\n')
}

/** Text that came from a program, a file name or an argument never reaches the terminal as a control sequence. */
export function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (control) => {
    return `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}

/** An ISO 8601 time to the second. */
export function shortTime(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z')
}

/** `1 session`, `2 sessions`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
