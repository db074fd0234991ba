import type { ItemType } from './item-type.ts'

/**
 * The arguments of an operation by name. A name that ends with `?` is optional. A value is a short type (`string`,
 * `number`, `integer`, `boolean`, `any`, `a|b`, any of them with `[]` or `?`), an item type, an item type in an array for
 * several of them, or a JSON Schema.
 */
export type ArgSpecs = Readonly<Record<string, ArgSpec>>

// An item type is given for the value that it stands for: of what its items are made does not matter here.
type AnyItemType<Value> = ItemType<never, Value>

export type ArgSpec = string | AnyItemType<unknown> | readonly [AnyItemType<unknown>] | ArgSchema

/** The part of JSON Schema that the runtime checks, and what it shows to the agent. */
export interface ArgSchema {
  readonly type?: string
  readonly description?: string
  readonly optional?: boolean
  /** One letter: `-u` is then the argument's short form. */
  readonly short?: string
  readonly enum?: readonly (string | number | boolean | null)[]
  readonly items?: ArgSchema
  readonly properties?: Readonly<Record<string, ArgSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** What the handler of an operation gets for its declared arguments. */
export type ArgsOf<S extends ArgSpecs> = Simplify<
  { readonly [K in keyof S as IsOptional<K, S[K]> extends true ? never : K]: ValueOf<S[K]> } & {
    readonly [K in keyof S as IsOptional<K, S[K]> extends true ? NameOf<K> : never]?:
      ValueOf<S[K]> | undefined
  }
>

type Simplify<T> = { [K in keyof T]: T[K] }

type NameOf<K> = K extends `${infer Name}?` ? Name : K

type IsOptional<K, Spec> = K extends `${string}?`
  ? true
  : Spec extends `${string}?`
    ? true
    : Spec extends { readonly optional: true }
      ? true
      : false

type ValueOf<Spec> = Spec extends string
  ? ShortType<Spec>
  : Spec extends readonly [AnyItemType<infer Value>]
    ? readonly Value[]
    : Spec extends AnyItemType<infer Value>
      ? Value
      : Spec extends ArgSchema
        ? SchemaType<Spec>
        : never

type ShortType<Text extends string> = Text extends `${infer Rest}?`
  ? ShortType<Rest>
  : Text extends `(${infer Choice})[]`
    ? readonly ShortType<Choice>[]
    : Text extends `${infer Element}[]`
      ? readonly ShortType<Element>[]
      : Text extends `${infer First}|${infer Rest}`
        ? Trim<First> | Choice<Rest>
        : NamedType<Trim<Text>>

/** In a choice every part is a word of its own, also one that is called like a type. */
type Choice<Text extends string> = Text extends `${infer First}|${infer Rest}`
  ? Trim<First> | Choice<Rest>
  : Trim<Text>

type Trim<Text extends string> = Text extends ` ${infer Rest}`
  ? Trim<Rest>
  : Text extends `${infer Rest} `
    ? Trim<Rest>
    : Text

interface NamedTypes {
  string: string
  number: number
  integer: number
  boolean: boolean
  object: Readonly<Record<string, unknown>>
}

/** A name that is no built-in type is an item type, of whose value nothing is known here. */
type NamedType<Name extends string> = Name extends keyof NamedTypes ? NamedTypes[Name] : unknown

type SchemaType<Schema extends ArgSchema> = Schema extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : Schema extends { readonly type: 'array'; readonly items: infer Items extends ArgSchema }
    ? readonly SchemaType<Items>[]
    : Schema extends { readonly type: infer Name extends string }
      ? NamedType<Name>
      : unknown

/** The `args` attribute. */
export function argsAttribute(specs: ArgSpecs): string {
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(specs).map(([name, spec]) => [name, isList(spec) ? `${spec[0].name}[]` : spec]),
    ),
  )
}

function isList(spec: ArgSpec): spec is readonly [AnyItemType<unknown>] {
  return Array.isArray(spec)
}
