import type { AotuiApi } from '@aotui/runtime'

/** The attributes that the runtime reads, for the attribute types of JSX, Vue and Svelte. */
export interface AotuiAttributes {
  /** The root of a view, by its name. */
  view?: string | undefined
  /** A list of items: `type[]:id`. */
  list?: string | undefined
  /** Something that the agent can do, by its id. */
  operation?: string | undefined
  /** The arguments of the operation: JSON, short types or a JSON Schema. */
  args?: string | undefined
  /** A thing that can be named: `type:id`. */
  entity?: string | undefined
  /** Marks an item of a list, by its key. */
  item?: string | undefined
  /** The key of an item, where the framework keeps `key` for itself. */
  'data-key'?: string | undefined
  /** What an item stands for, as JSON. */
  'data-value'?: string | undefined
}

/** Attributes to spread onto an element: `{...attributes}`, `v-bind="attributes"`, `mark(element, attributes)`. */
export type Attributes = Readonly<Record<string, string>>

/** Sets attributes on an element of an app without a framework; returns the element. */
export function mark<E extends Element>(element: E, attributes: Attributes): E {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}

declare global {
  /** What the runtime offers to the app, in an app process. */
  var aotui: AotuiApi
}
