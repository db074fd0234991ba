import type { Protocol } from 'devtools-protocol'
import { CdpError } from './cdp-client.ts'
import { WORLD_NAME, framesOf, type PageTarget } from './page-target.ts'

/** A document of the page, or of one of its frames. */
export interface DocumentPlace {
  readonly session: string
  readonly frameId: string
  /** Of its upper left corner in the tab, in CSS pixels. */
  readonly x: number
  readonly y: number
}

export async function documentsOf(target: PageTarget, topOnly = false): Promise<DocumentPlace[]> {
  if (topOnly) return [{ session: target.session, frameId: target.targetId, x: 0, y: 0 }]
  const places: DocumentPlace[] = []
  for (const session of target.sessions) {
    const { frameTree } = await target.cdp.call('Page.getFrameTree', undefined, { session })
    const iframe = target.iframes.get(session)
    const parent = places.find((place) => place.session === iframe?.parent)
    const origin =
      iframe === undefined ? { x: 0, y: 0 } : await ownerOffset(target, iframe.parent, iframe.frameId)
    const base = { x: origin.x + (parent?.x ?? 0), y: origin.y + (parent?.y ?? 0) }
    for (const frame of framesOf(frameTree)) {
      const isRoot = frame.id === frameTree.frame.id
      const inside = isRoot ? { x: 0, y: 0 } : await ownerOffset(target, session, frame.id)
      places.push({ session, frameId: frame.id, x: base.x + inside.x, y: base.y + inside.y })
    }
  }
  return places
}

/** Where the content of an iframe begins in the viewport of the process that holds its element. */
async function ownerOffset(
  target: PageTarget,
  session: string,
  frameId: string,
): Promise<{ x: number; y: number }> {
  try {
    const { backendNodeId } = await target.cdp.call('DOM.getFrameOwner', { frameId }, { session })
    const { model } = await target.cdp.call('DOM.getBoxModel', { backendNodeId }, { session })
    return { x: model.content[0] ?? 0, y: model.content[1] ?? 0 }
  } catch {
    return { x: OFF_SCREEN, y: OFF_SCREEN } // not shown, or gone
  }
}

const OFF_SCREEN = -1e6

/**
 * Calls a function in a document, with some of its nodes as arguments; undefined if the document is an iframe's that
 * has gone meanwhile.
 */
export async function callIn(
  target: PageTarget,
  { session, frameId }: DocumentPlace,
  call: { readonly functionDeclaration: string; readonly nodes?: readonly BackendNodeId[] | undefined },
): Promise<unknown> {
  const { functionDeclaration, nodes = [] } = call
  const uniqueContextId = nodes.length === 0 ? target.worldOf(session, frameId) : undefined
  if (uniqueContextId !== undefined) {
    const known = { functionDeclaration, uniqueContextId, returnByValue: true }
    try {
      return (await target.cdp.call('Runtime.callFunctionOn', known, { session })).result.value
    } catch (error) {
      if (!(error instanceof CdpError)) throw error // else the world has gone with its document: another is made
    }
  }
  try {
    const world = { frameId, worldName: WORLD_NAME }
    const { executionContextId } = await target.cdp.call('Page.createIsolatedWorld', world, { session })
    const resolve = async (backendNodeId: BackendNodeId) => {
      const wanted = { backendNodeId, executionContextId, objectGroup: WORLD_NAME }
      const { object } = await target.cdp.call('DOM.resolveNode', wanted, { session })
      return { objectId: object.objectId ?? '' }
    }
    const { result } = await target.cdp.call(
      'Runtime.callFunctionOn',
      {
        functionDeclaration,
        executionContextId,
        arguments: await Promise.all(nodes.map(resolve)),
        returnByValue: true,
      },
      { session },
    )
    if (nodes.length > 0)
      await target.cdp.call('Runtime.releaseObjectGroup', { objectGroup: WORLD_NAME }, { session })
    return result.value
  } catch (error) {
    if (frameId === target.targetId) throw error
    return undefined
  }
}

/**
 * The links inside closed shadow roots by the ids of the documents' frames: no script can find these, but Chromium
 * reports them.
 */
export async function linksInClosedRoots(
  target: PageTarget,
  session: string,
): Promise<Map<string, BackendNodeId[]>> {
  const snapshot = await target.cdp.call('DOMSnapshot.captureSnapshot', { computedStyles: [] }, { session })
  const { strings } = snapshot
  const byFrame = new Map<string, BackendNodeId[]>()
  for (const { frameId, nodes } of snapshot.documents) {
    const { nodeName = [], parentIndex = [], backendNodeId = [], shadowRootType } = nodes
    const closed = new Set<number>()
    for (const [at, node] of shadowRootType?.index.entries() ?? []) {
      // Parents come before their children: what is open inside something closed is known by then.
      const isInside = closed.has(parentIndex[node] ?? -1)
      if (isInside || strings[shadowRootType?.value[at] ?? -1] === 'closed') closed.add(node)
    }
    const links = [...closed].filter((node) => /^(a|area)$/i.test(strings[nodeName[node] ?? -1] ?? ''))
    byFrame.set(
      strings[frameId] ?? '',
      links.slice(0, CLOSED_LINKS_MAX).map((node) => backendNodeId[node] ?? 0),
    )
  }
  return byFrame
}

type BackendNodeId = Protocol.DOM.BackendNodeId

const CLOSED_LINKS_MAX = 1000 // each is a call of its own
