import { z } from 'zod'
import type { Config } from '../../config.ts'
import { capability } from '../../core/capability.ts'
import { forbidden } from '../../core/errors.ts'
import { isOpenDevelopment } from '../../core/own-addresses.ts'

const Warning = z.object({ code: z.string(), message: z.string() }).meta({ id: 'ServiceWarning' })

const warningsFor = (config: Config): z.input<typeof Warning>[] =>
  isOpenDevelopment(config)
    ? [
        {
          code: 'open_development',
          message:
            'This server runs in development mode at an address that others can reach: payments are simulated and cost nothing. Set NODE_ENV=production and start it again.',
        },
      ]
    : []

export const readServiceWarnings = capability({
  name: 'service.warnings',
  summary: 'What the operator of this server should fix; service admins only',
  scopes: ['account'],
  rest: ['GET /api/v1/admin/warnings'],
  input: z.object({}),
  output: z.object({ items: z.array(Warning) }).meta({ id: 'ServiceWarnings' }),
  run: async (ctx) => {
    if (!ctx.viewer.isAdmin) throw forbidden('This is for the admins of the service.')
    return { items: warningsFor(ctx.config) }
  },
})
