import type { Chunk, EntityInfo, OperationInfo } from '../contract/fragment.ts'
import type { DomElement } from './dom-node.ts'
import { FoundMarkup } from './found-markup.ts'
import { noteOperation } from './note-operation.ts'
import { renderBlock, renderChildren } from './render-block.ts'
import { BlockOut, type RenderEnv, type Scope } from './render-scope.ts'
import { isHidden } from './visibility.ts'

export interface ViewRender {
  readonly chunks: readonly Chunk[]
  readonly operations: readonly OperationInfo[]
  readonly entities: readonly EntityInfo[]
  readonly found: FoundMarkup
}

/** One view as chunks. With `env.cache` only what is not cached is rendered; the result is the same. */
export function renderView(root: DomElement, env: RenderEnv): ViewRender {
  const out = new BlockOut()
  const found = new FoundMarkup()
  const render = { block: renderBlock, children: renderChildren }
  const scope: Scope = { env, render, out, found, root, depth: 0 }
  if (!isHidden(root)) {
    // The root itself may be a list or a form; a plain one is only a container.
    if (root.hasAttribute('list') || root.localName === 'form') {
      renderBlock(root, scope)
    } else {
      noteOperation(root, scope)
      renderChildren(root, scope)
    }
  }
  out.break()
  return {
    chunks: out.chunks,
    operations: [...found.operations.values()].map(({ info }) => info),
    entities: [...found.entities.values()],
    found,
  }
}
