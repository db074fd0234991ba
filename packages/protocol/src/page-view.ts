import { z } from 'zod'
import { untrusted } from './untrusted.ts'

/** What a web page shows beside its cells. Its texts come from the page and must not be trusted. */
export const pageView = z.object({
  url: untrusted(z.string()),
  title: untrusted(z.string()),
  loading: z.boolean(),
  can_go_back: z.boolean(),
  can_go_forward: z.boolean(),
  dialog: untrusted(
    z
      .object({
        type: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']),
        message: z.string(),
        default_prompt: z.string(),
      })
      .nullable(),
  ).describe('The dialog that the page has open: nothing else can be done before it is answered.'),
})
export type PageView = z.infer<typeof pageView>
