import { z } from 'zod'

/** What happened in an exchange, as hooks capture it in `meta.activity`. Mining reads it. */
const Activity = z.object({
  commands: z
    .array(
      z.object({
        command: z.string().max(4000),
        exit_code: z.int().nullish(),
        output: z.string().max(20_000).default(''),
      }),
    )
    .max(100)
    .default([]),
  files: z.array(z.string().max(1000)).max(500).default([]),
  environment: z.record(z.string().max(200), z.string().max(500)).default({}),
})

export type Activity = z.output<typeof Activity>

/** Undefined for a turn without commands, which teaches nothing, and for meta of another form, which is not ours. */
export function activityOf(meta: unknown): Activity | undefined {
  if (typeof meta !== 'object' || meta === null || !('activity' in meta)) return undefined
  const read = Activity.safeParse(meta.activity)
  return read.success && read.data.commands.length > 0 ? read.data : undefined
}
