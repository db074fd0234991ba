import type { z } from 'zod'
import {
  BATCH_STEPS,
  OPERATIONS,
  stepOperation,
  type OperationDefinition,
  type ToolParam,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Tool } from './tool-table.ts'

type Arguments = Readonly<Record<string, unknown>>

/** The arguments that the caller of a tool may give, by the names that the tool has for them. */
export function argumentNames({
  definition,
  tool: { renamed = {} },
}: Pick<Tool, 'definition' | 'tool'>): string[] {
  return parameterNames(definition).map((name) => renamed[name] ?? name)
}

/** The parameters that the caller of a tool may give, as the operation calls them. */
export function parameterNames({ params }: OperationDefinition): string[] {
  return Object.entries<z.ZodType>(params.shape).flatMap(([name, param]) => {
    const { hidden, touches, tool } = param.meta() ?? {}
    return hidden === true || touches === 'file' || tool !== undefined ? [] : [name]
  })
}

/** The parameters that a step may have: the session is that of the call. */
export function stepParameterNames(definition: OperationDefinition): string[] {
  return parameterNames(definition).filter((name) => name !== 'session' && name !== 'conversation_id')
}

/** The parameters that a tool always gives, by their names. */
export function fixedParams({ params }: OperationDefinition): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries<z.ZodType>(params.shape).flatMap(([name, param]) => {
      const tool = param.meta()?.['tool'] as ToolParam | undefined // as the operation table writes it
      return tool !== undefined && 'fixed' in tool ? [[name, tool.fixed]] : []
    }),
  )
}

/** The operations that can be a step of `interact`, by the names of the steps: those that answer with text. */
export function stepDefinitions(): Map<string, OperationDefinition> {
  const operations = new Map(Object.entries<OperationDefinition>(OPERATIONS))
  return new Map(
    BATCH_STEPS.flatMap((step) => {
      const definition = operations.get(stepOperation(step))
      return definition === undefined || 'inline' in definition.params.shape ? [] : [[step, definition]]
    }),
  )
}

/** The arguments of a call as parameters of its operation. Refuses what the tool does not take. */
export function paramsOf(tool: Tool, given: Arguments): Record<string, unknown> {
  const { renamed = {}, paged, name } = tool.tool
  const names = [...argumentNames(tool), ...(paged === undefined ? [] : ['cursor'])]
  checkNames(name, given, names)
  if (Array.isArray(given['steps'])) checkSteps(name, given['steps'])
  const original = new Map(Object.entries(renamed).map(([own, shown]) => [shown, own]))
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [original.get(key) ?? key, value]))
}

function checkSteps(tool: string, steps: readonly unknown[]): void {
  const offered = stepDefinitions()
  for (const [index, step] of steps.entries()) {
    const where = `${tool}: steps[${index}]`
    const name = isRecord(step) ? step['step'] : undefined
    const definition = typeof name === 'string' ? offered.get(name) : undefined
    if (!isRecord(step) || definition === undefined) {
      const example = '{"step": "type", "text": "ls", "enter": true}'
      const message = `${where} is ${excerpt(step)}; a step is an object as ${example}, its "step" one of ${[...offered.keys()].join(', ')}`
      throw new OpError('usage', message)
    }
    checkNames(`${where} (${String(name)})`, step, ['step', ...stepParameterNames(definition)])
  }
}

function checkNames(what: string, given: Arguments, names: readonly string[]): void {
  const unknown = Object.keys(given).find((key) => !names.includes(key))
  if (unknown === undefined) return
  throw new OpError('usage', `${what} takes no ${JSON.stringify(unknown)}; it takes ${names.join(', ')}`)
}

function excerpt(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 100)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
