import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

interface Node {
  type: string
  value?: string
  url?: string
  depth?: number
  children?: Node[]
}

/** What a Markdown parser finds that is structure: tags, headings, refs, definitions and tables. */
export function structure(markup: string): string[] {
  const found: string[] = []
  const visit = (node: Node) => {
    if (node.type === 'html')
      found.push(...[...(node.value ?? '').matchAll(/<\/?[\w-]+|<!--/g)].map(([tag]) => tag))
    else if (node.type === 'heading') found.push(`h${node.depth}`)
    else if (node.type === 'link' && !/^(https?|mailto):/.test(node.url ?? '')) found.push(node.url ?? '')
    else if (['definition', 'footnoteDefinition', 'table', 'image', 'linkReference'].includes(node.type))
      found.push(node.type)
    for (const child of node.children ?? []) visit(child)
  }
  visit(fromMarkdown(markup, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }))
  return found
}

/** The desktop's own tags as a Markdown parser finds them: what an app shows must not add one, hide one or move one. */
export function desktopTags(markup: string): string[] {
  return structure(markup).filter((found) => found.startsWith('<'))
}

/** What is wrong with the tags of a snapshot when they are read line by line; empty when they nest as they should. */
export function nestingProblems(markup: string): string[] {
  const problems: string[] = []
  const open: string[] = []
  const ids = new Set<string>()
  for (const line of markup.split('\n')) {
    const [, slash = '', tag = '', rest = ''] =
      /^<(\/?)(desktop|application|view|operation_log|app_log)\b(.*)>$/.exec(line) ?? []
    if (tag === '') continue
    if (slash === '/') {
      if (open.pop() !== tag) problems.push(`${line} closes what is not open`)
      continue
    }
    const id = / id="([^"]*)"/.exec(rest)?.[1]
    if (id !== undefined && ids.has(id)) problems.push(`${id} is there twice`)
    if (id !== undefined) ids.add(id)
    if (tag !== 'desktop' && open.length === 0) problems.push(`${line} is outside the desktop`)
    open.push(tag)
  }
  if (open.length > 0) problems.push(`${open.join()} is never closed`)
  return problems
}

/** Refs that a reader finds in the applications, by their kind and name. */
export function refsOf(markup: string): string[] {
  return structure(markup).filter((found) => /^(operation|item|list|entity|application):/.test(found))
}
