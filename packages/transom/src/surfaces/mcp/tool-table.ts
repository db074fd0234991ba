import {
  OPERATIONS,
  includesScope,
  mcpTools,
  neededFor,
  reachOf,
  type McpTool,
  type OperationDefinition,
  type Principal,
  type ToolSet,
} from '@transom/protocol'

/** Clients give up on a call after 60 s at the most common setting. */
export const WAIT_MS_MAX = 50_000

export interface Tool {
  readonly operation: string
  readonly definition: OperationDefinition
  readonly tool: McpTool & Required<Pick<McpTool, 'title' | 'description'>>
}

/** The tools of a set, as the operation table has them. */
export function toolsOf(
  set: ToolSet,
  operations: Readonly<Record<string, OperationDefinition>> = OPERATIONS,
): Tool[] {
  return Object.entries(operations).flatMap(([operation, definition]) =>
    mcpTools(definition)
      .filter((tool) => (tool.set ?? 'transom') === set)
      .map((tool): Tool => {
        const { title = tool.name.replaceAll('_', ' '), description = definition.summary } = tool
        return { operation, definition, tool: { ...tool, title, description } }
      }),
  )
}

/** Those that a principal may use. */
export function permittedTools(tools: readonly Tool[], principal: Principal): Tool[] {
  const { scope, sessions } = reachOf(principal)
  return tools.filter(({ definition }) => {
    const needed = neededFor(definition, {})
    return includesScope(scope, needed.scope) && (sessions === null || needed.unrestricted === null)
  })
}

/** What a client may tell its user, or decide, about a tool before it calls it. */
export interface ToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export function hintsOf({ definition: { readOnly }, tool }: Tool): ToolHints {
  return {
    readOnlyHint: readOnly,
    destructiveHint: !readOnly && tool.destructive !== false,
    idempotentHint: readOnly || tool.idempotent === true,
    openWorldHint: tool.openWorld !== false,
  }
}
