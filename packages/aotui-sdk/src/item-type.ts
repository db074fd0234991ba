import type { Attributes } from './attributes.ts'

declare const VALUE: unique symbol

/** A type of items: what lists of it and arguments that take one of them are made from. */
export interface ItemType<Item, Value> {
  readonly name: string
  /** The attributes of a list of these items. */
  list(id: string): Attributes
  /** The attributes of one item. */
  item(item: Item): Attributes
  /** In the `args` of an operation it stands for its name. */
  toJSON(): string
  /** What an operation gets for a ref to such an item; only there for the type. */
  readonly [VALUE]?: Value
}

/**
 * Names a type of items. `describe` gives the key of an item and the value that operations get for a ref to it. Keep the
 * value small: an id will do. An operation gets the value that the agent saw, also when the item has changed since.
 */
export function defineItem<Item, Value>(
  name: string,
  describe: (item: Item) => { key: string; value: Value },
): ItemType<Item, Value> {
  return {
    name,
    list: (id) => ({ list: `${name}[]:${id}` }),
    item: (item) => {
      const { key, value } = describe(item)
      return { 'data-key': key, 'data-value': JSON.stringify(value) }
    },
    toJSON: () => name,
  }
}
