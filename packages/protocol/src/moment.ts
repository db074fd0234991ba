import { z } from 'zod'
import { LABEL_CHARS_MAX } from './limits.ts'

/** A moment of the past, instead of now. */
export const moment = {
  at_seq: z
    .int()
    .min(1)
    .optional()
    .describe('As it was after this record of the Event Log.')
    .meta({ placeholder: 'N' }),
  at_mark: z
    .string()
    .min(1)
    .max(LABEL_CHARS_MAX)
    .optional()
    .describe('As it was at the last mark with this label.')
    .meta({ placeholder: 'LABEL', tool: { hidden: true } }),
  at_time: z
    .string()
    .min(1)
    .max(LABEL_CHARS_MAX)
    .optional()
    .describe('As it was at this time: ISO 8601, or milliseconds since 1970.')
    .meta({ placeholder: 'TIME', tool: { hidden: true } }),
}
