import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { RawRoute } from '../../core/capability.ts'
import type { Services, UserCtx } from '../../core/context.ts'
import { notAuthenticated } from '../../core/errors.ts'
import { contextOfRequest, credentialOf } from '../../core/http.ts'
import { presentUser, requireUser, viewerOf } from '../identity/index.ts'
import { ownRows } from './personal-data.ts'

async function* exportLines(ctx: UserCtx): AsyncGenerator<string> {
  const { userId } = ctx.viewer
  const line = (kind: string, value: unknown) => `${JSON.stringify({ kind, value })}\n`
  const user = await requireUser(ctx, userId)
  yield line('user', await presentUser(ctx, user))
  yield line('settings', JSON.parse(user.settings))
  for (const [kind, rowsOf] of Object.entries(ownRows))
    for await (const row of rowsOf(ctx.db, userId)) yield line(kind, row)
}

/** Stops if the credential ends meanwhile, so that nobody takes the export for complete. */
async function* whileRecognised(
  services: Services,
  request: FastifyRequest,
  lines: AsyncIterable<string>,
): AsyncGenerator<string> {
  const credential = credentialOf(request, services.config.baseUrl)
  if (!credential) throw notAuthenticated()
  for await (const line of lines) {
    await viewerOf(services, credential.value, request.url)
    yield line
  }
}

export const exportAccount: RawRoute = {
  name: 'account.export',
  summary: 'Everything that belongs to you, as lines of JSON',
  route: 'GET /api/v1/auth/me/export',
  scopes: ['account'],
  openapi: {
    responses: {
      200: {
        description: 'One object {kind, value} a line',
        content: { 'application/x-ndjson': { schema: { type: 'string' } } },
      },
    },
  },
  handle: async (services: Services, request, reply) => {
    const { viewer } = request
    if (!viewer) throw notAuthenticated()
    const ctx = { ...contextOfRequest(services, request), viewer }
    return reply
      .header('Content-Disposition', 'attachment; filename="knowledge-vault-export.ndjson"')
      .type('application/x-ndjson')
      .send(Readable.from(whileRecognised(services, request, exportLines(ctx))))
  },
}
