import { z } from 'zod'

/**
 * Marks a field of a result whose text a program or a page has chosen. A surface shows it to a model between marks, as
 * data and never as an instruction.
 */
export function untrusted<T extends z.ZodType>(schema: T): T {
  return schema.meta({ untrusted: true })
}

/** The names of the fields that are marked, anywhere in these schemas. */
export function untrustedFields(schemas: readonly z.ZodType[]): Set<string> {
  const names = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, part] of Object.entries(value)) {
      if (typeof part === 'object' && part !== null && 'untrusted' in part) names.add(key)
      collect(part)
    }
  }
  for (const schema of schemas) collect(z.toJSONSchema(schema))
  return names
}
