import type { EntityInfo, OperationInfo } from '../contract/fragment.ts'
import type { DomControl, DomElement } from './dom-node.ts'

/** An operation, and the element that declares it: what is shown is what is pressed. */
export interface FoundOperation {
  readonly info: OperationInfo
  readonly element: DomElement
}

/** What a rendering meets besides text: operations, entities, lists and controls, of a view or of a part of it. */
export class FoundMarkup {
  readonly operations = new Map<string, FoundOperation>()
  readonly entities = new Map<string, EntityInfo>()
  readonly lists: DomElement[] = []
  readonly controls: { control: DomControl; state: string }[] = []
  readonly warnings: string[] = []
  /** False when the output depends on nodes outside the subtree (slotted content). */
  cacheable = true

  /** Most parts hold text alone, and a long list has thousands of them. */
  get isEmpty(): boolean {
    return (
      this.cacheable &&
      this.operations.size === 0 &&
      this.entities.size === 0 &&
      this.lists.length === 0 &&
      this.controls.length === 0 &&
      this.warnings.length === 0
    )
  }

  addOperation(operation: FoundOperation): void {
    const { id } = operation.info
    const before = this.operations.get(id)
    if (before !== undefined) this.warnings.push(`operation "${id}" is declared more than once`)
    this.operations.set(
      id,
      before === undefined ? operation : { ...before, info: { ...before.info, ambiguous: true } },
    )
  }

  addEntity(entity: EntityInfo): void {
    const before = this.entities.get(entity.id)
    if (before !== undefined) this.warnings.push(`entity "${entity.id}" is declared more than once`)
    this.entities.set(entity.id, before === undefined ? entity : { ...before, ambiguous: true })
  }

  /** Adds what a part holds. The same operation in many items of one type is one operation with an item. */
  addPart(part: FoundMarkup): void {
    if (part.isEmpty) return
    for (const operation of part.operations.values()) {
      const { id, itemType, ambiguous } = operation.info
      const before = this.operations.get(id)?.info
      if (before?.itemType !== undefined && before.itemType === itemType && before.ambiguous === undefined) {
        if (ambiguous === true) this.operations.set(id, operation)
      } else {
        this.addOperation(operation)
      }
    }
    for (const entity of part.entities.values()) this.addEntity(entity)
    for (const list of part.lists) this.lists.push(list)
    for (const control of part.controls) this.controls.push(control)
    for (const warning of part.warnings) this.warnings.push(warning)
    if (!part.cacheable) this.cacheable = false
  }
}
