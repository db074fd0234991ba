import { spelledParams, type SpellStep } from '@transom/protocol/errors'
import { argumentNames } from './tool-params.ts'
import type { Tool } from './tool-table.ts'

/** Words what to do about an error of a tool as calls of tools; null for what these tools do not offer. */
export function spellTool(tools: readonly Tool[], called: Tool): SpellStep {
  return (step) => {
    if ('set' in step) {
      const { set, of, does } = step
      const tool = of === undefined ? called : tools.find(({ operation }) => operation === of)
      const offered =
        tool !== undefined && Object.keys(set).every((name) => argumentNames(tool).includes(name))
      if (!offered) return null
      return `${does} with ${spelledParams(set)}${of === undefined ? '' : ` in ${tool.tool.name}`}`
    }
    const tool = tools.find(({ operation }) => operation === step.call)
    if (tool === undefined) return null
    const { name, renamed = {} } = tool.tool
    const given = Object.entries(step.params).map(([own, value]) => [renamed[own] ?? own, value])
    const params = given.length === 0 ? '' : ` ${JSON.stringify(Object.fromEntries(given))}`
    return `${name}${params} ${step.does}`
  }
}
