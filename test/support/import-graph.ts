import * as fs from 'node:fs'
import * as path from 'node:path'

/** What the folders of the product import of each other, from their files: docs/ARCHITECTURE.md shows it. */
function importGraph(source: string): Map<string, Map<string, number>> {
  const graph = new Map<string, Map<string, number>>()
  for (const file of sourceFiles(source)) {
    const folder = folderOf(source, file)
    const edges = graph.get(folder) ?? new Map<string, number>()
    graph.set(folder, edges)
    for (const [, specifier = ''] of fs.readFileSync(file, 'utf8').matchAll(/\bfrom '(\.[^']+)'/g)) {
      const target = folderOf(source, path.join(path.dirname(file), specifier))
      if (target !== folder) edges.set(target, (edges.get(target) ?? 0) + 1)
    }
  }
  return graph
}

/** The graph as a table, from what imports nothing to what is imported by nothing. */
export function importTable(source: string): string {
  const graph = importGraph(source)
  const rows = ordered(graph).map((folder) => {
    const edges = [...(graph.get(folder) ?? [])].sort(([a], [b]) => a.localeCompare(b))
    return `| \`${folder}\` | ${edges.map(([to, count]) => `${to} ${count}`).join(', ') || '–'} |`
  })
  return ['| folder | imports of others, by folder |', '| --- | --- |', ...rows].join('\n')
}

/** Each folder after those that it imports; a cycle is left for tidy.test.ts to refuse. */
function ordered(graph: Map<string, Map<string, number>>): string[] {
  const done: string[] = []
  const visit = (folder: string, above: readonly string[]): void => {
    if (done.includes(folder) || above.includes(folder)) return
    for (const next of [...(graph.get(folder)?.keys() ?? [])].sort()) visit(next, [...above, folder])
    done.push(folder)
  }
  for (const folder of [...graph.keys()].sort()) visit(folder, [])
  return done
}

function sourceFiles(source: string): string[] {
  return fs
    .readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name))
}

/** Each kind, surface and form of evidence is a folder of its own: `kinds/web`, `surfaces/cli`. */
function folderOf(source: string, file: string): string {
  const [first = '', second = ''] = path.relative(source, file).split(path.sep)
  return ['kinds', 'surfaces', 'evidence'].includes(first) ? `${first}/${second}` : first
}
