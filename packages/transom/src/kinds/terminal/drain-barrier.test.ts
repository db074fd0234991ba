import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DrainBarrier } from './drain-barrier.ts'

test('the barrier is found however the bytes are cut, and takes none of the program with it', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.array(fc.integer({ min: 1, max: 40 })),
      (output, sizes) => {
        const barrier = new DrainBarrier()
        // The end of the program's own output may look like the start of the barrier.
        const program = Buffer.concat([
          output,
          barrier.bytes.subarray(0, output.length % barrier.bytes.length),
        ])
        let rest = Buffer.concat([program, barrier.bytes])
        const taken: Buffer[] = []
        let reached = false
        for (let turn = 0; rest.length > 0; turn++) {
          const size = sizes[turn % Math.max(1, sizes.length)] ?? rest.length
          const result = barrier.take(rest.subarray(0, size))
          taken.push(Buffer.from(result.bytes))
          reached ||= result.reached
          rest = rest.subarray(size)
        }
        expect(reached).toBe(true)
        expect(Buffer.concat(taken).equals(program)).toBe(true)
      },
    ),
  )
})
