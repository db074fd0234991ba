import { OpError } from '@transom/protocol/errors'
import { darwin } from './darwin.ts'
import { linux } from './linux.ts'
import type { Platform } from './platform.ts'
import { systemName } from './system-name.ts'

/** The implementation for a system by the name that Node gives it; null if there is none. */
export function platformOf(name: string): Platform | null {
  return [linux, darwin].find((each) => each.name === name) ?? null
}

/** The implementation for the system that this process runs on. */
export function platform(): Platform {
  current ??= platformOf(systemName())
  if (current === null)
    throw new OpError('io_error', `Transom does not run on ${systemName()}; use Linux or macOS`)
  return current
}

let current: Platform | null = null
