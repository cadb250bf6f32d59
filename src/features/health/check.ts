import { z } from 'zod'

/** What is known about one part that the service needs. */
export const Check = z.object({
  status: z.enum(['ok', 'failed', 'not_configured']),
  detail: z.string().optional(),
})

export type CheckResult = z.input<typeof Check>
