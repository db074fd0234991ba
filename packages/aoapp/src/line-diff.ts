const CELLS_MAX = 4_000_000 // two views of 2,000 lines; longer ones are shown as all different

/** The lines of two texts, those only in the first with `- `, those only in the second with `+ `. */
export function lineDiff(before: string, after: string): string[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  if (a.length * b.length > CELLS_MAX)
    return [...a.map((line) => `- ${line}`), ...b.map((line) => `+ ${line}`)]
  const common = commonLengths(a, b)
  const length = (i: number, j: number) => common[i]?.[j] ?? 0
  const diff: string[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      diff.push(`  ${a[i]}`)
      i++
      j++
    } else if (j >= b.length || (i < a.length && length(i + 1, j) >= length(i, j + 1)))
      diff.push(`- ${a[i++]}`)
    else diff.push(`+ ${b[j++]}`)
  }
  return diff
}

/** For each pair of places, how many lines the rests have in common, in order. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) {
    const [row, below] = [rows[i], rows[i + 1]]
    if (row === undefined || below === undefined) continue
    for (let j = b.length - 1; j >= 0; j--)
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
  }
  return rows
}
