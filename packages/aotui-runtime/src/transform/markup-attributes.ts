import { KEY_CHARS_MAX, VALUE_CHARS_MAX } from '../contract/limits.ts'
import type { DomElement } from './dom-node.ts'

/** The semantic attributes of spec section 3, read and checked in one place. */
const ID = '[A-Za-z_][\\w.-]{0,99}'
const LIST = new RegExp(`^\\s*(${ID})\\[\\]\\s*:\\s*(${ID})\\s*$`)
const ENTITY = new RegExp(`^\\s*(${ID})\\s*:\\s*(${ID})\\s*$`)
const OPERATION = new RegExp(`^${ID}$`)

export interface TypedId {
  readonly type: string
  readonly id: string
}

/** `type[]:id`; `<input list>` is HTML's own attribute and means a datalist. */
export function readList(element: DomElement): TypedId | { problem: string } | undefined {
  const text = element.getAttribute('list')
  if (text === null || element.localName === 'input') return undefined
  const match = LIST.exec(text)
  if (match === null) return { problem: `list="${clip(text)}" is not of the form type[]:id` }
  return { type: match[1] ?? '', id: match[2] ?? '' }
}

export function readEntity(element: DomElement): TypedId | { problem: string } | undefined {
  const text = element.getAttribute('entity')
  if (text === null) return undefined
  const match = ENTITY.exec(text)
  if (match === null) return { problem: `entity="${clip(text)}" is not of the form type:id` }
  return { type: match[1] ?? '', id: match[2] ?? '' }
}

export function readOperation(element: DomElement): { id: string } | { problem: string } | undefined {
  const text = element.getAttribute('operation')
  if (text === null) return undefined
  const id = text.trim()
  return OPERATION.test(id) ? { id } : { problem: `operation="${clip(text)}" is not an id` }
}

export interface Payload {
  readonly key?: string
  readonly value?: string
}

/**
 * `key` and `data-value`. React, Preact and Vue keep an attribute called `key` for themselves and never write it to
 * the document, so `data-key` is the same thing.
 */
export function readPayload(element: DomElement): Payload & { problem?: string } {
  const key =
    element.getAttribute('key') ??
    element.getAttribute('data-key') ??
    (element.getAttribute('item') || undefined)
  if (key !== undefined && key.length > KEY_CHARS_MAX)
    return { problem: `the key of an item is longer than ${KEY_CHARS_MAX} characters` }
  const named = key === undefined ? {} : { key }
  const value = element.getAttribute('data-value')
  if (value === null) return key === undefined ? { problem: 'an item has neither key nor data-value' } : named
  if (value.length > VALUE_CHARS_MAX)
    return { problem: `the data-value of item "${clip(key ?? '')}" is larger than 64 KB` }
  try {
    JSON.parse(value)
  } catch {
    return { problem: `the data-value of item "${clip(key ?? '')}" is not JSON` }
  }
  return { ...named, value }
}

export function isItem(element: DomElement, listElement: DomElement): boolean {
  if (element.hasAttribute('key') || element.hasAttribute('data-key') || element.hasAttribute('item'))
    return true
  if (element.hasAttribute('data-value') && !element.hasAttribute('entity')) return true
  return (element.localName === 'li' || element.localName === 'tr') && element.parentNode === listElement
}

/** `send_message` → `SendMessage`, as spec section 4.1 shows operations. */
export function pascalCase(id: string): string {
  return words(id).join('')
}

/** `message_list` → `Message List`. */
export function titleCase(id: string): string {
  return words(id).join(' ')
}

function words(id: string): string[] {
  return id
    .split(/[_.-]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
