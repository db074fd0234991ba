import { describe, expect, test } from 'vitest'
import type { Lack } from './needs.ts'
import { lastLine } from './skip-reporter.ts'

const passed = { state: 'passed', lacks: [] } as const
const failed = { state: 'failed', lacks: [] } as const
const skipped = (...lacks: readonly Lack[]) => ({ state: 'skipped', lacks }) as const
const zsh = { what: 'zsh', debianPackage: 'zsh' }
const bwrap = { what: 'bwrap', debianPackage: 'bubblewrap' }
const root = { what: 'root', debianPackage: null }

describe('the last line of a test run', () => {
  test('says so when nothing was skipped', () => {
    expect(lastLine([passed, passed])).toBe('2 passed, none skipped')
  })

  test('counts what failed', () => {
    expect(lastLine([passed, failed])).toBe('1 passed, 1 failed, none skipped')
  })

  test('names each thing that tests lack, the most frequent first, and what installs them', () => {
    const tests = [passed, skipped(bwrap), skipped(bwrap, zsh), skipped(root), skipped(bwrap)]
    expect(lastLine(tests)).toBe(
      '1 passed, 4 skipped: for want of bwrap (3), zsh (1), root (1). ' +
        'To run them on Debian: apt-get install --no-install-recommends bubblewrap zsh',
    )
  })

  test('proposes no packages for what no package brings', () => {
    expect(lastLine([passed, skipped(root)])).toBe('1 passed, 1 skipped: for want of root (1)')
  })

  test('counts tests that were deselected', () => {
    expect(lastLine([passed, skipped()])).toBe('1 passed, 1 skipped')
  })
})
