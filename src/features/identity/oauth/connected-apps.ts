import { z } from 'zod'
import { capability } from '../../../core/capability.ts'
import { type Ctx, inTx } from '../../../core/context.ts'
import { notFound } from '../../../core/errors.ts'
import { plainName } from '../../../core/names.ts'
import { AnswerId, Id, Time } from '../../../core/schemas.ts'
import { fromJson } from '../../../db/columns.ts'
import { audit } from '../../audit/audit.ts'
import { deleteOwnGrant, listGrants } from './oauth.store.ts'

export const ConnectedApp = z
  .object({
    app_id: AnswerId,
    client_id: z.string(),
    name: z.string().describe('Chosen by the app itself unless verified_host is set.'),
    uri: z.string().nullable(),
    verified_host: z.string().nullable().describe('The host whose document names this app.'),
    scopes: z.array(z.string()),
    resource: z.string(),
    connected_at: Time,
    last_used_at: Time.nullable(),
  })
  .meta({ id: 'ConnectedApp' })

export const listConnectedApps = capability({
  name: 'apps.list',
  summary: 'The apps that the signed-in user has connected, newest first',
  scopes: ['account'],
  rest: ['GET /api/v1/auth/connected-apps'],
  input: z.object({}),
  output: z.array(ConnectedApp),
  run: async (ctx) => {
    const rows = await listGrants(ctx.db, ctx.viewer.userId)
    return rows.map((row) => ({
      app_id: row.grant_id,
      client_id: row.client_id,
      name: plainName(row.name),
      uri: row.uri,
      verified_host: row.source === 'document' ? new URL(row.client_id).host : null,
      scopes: fromJson<string[]>(row.scopes),
      resource: row.resource,
      connected_at: row.created_at,
      last_used_at: row.last_used_at,
    }))
  },
})

export const disconnectApp = capability({
  name: 'apps.disconnect',
  summary: 'Disconnect an app; its tokens stop working at once',
  scopes: ['account'],
  rest: ['DELETE /api/v1/auth/connected-apps/{app_id}'],
  status: 204,
  errors: [404],
  input: z.object({ app_id: Id }),
  output: z.void(),
  run: (ctx, { app_id }) =>
    inTx(ctx, async (ctx) => {
      const deleted = await deleteOwnGrant(ctx.db, ctx.viewer.userId, app_id)
      if (!deleted) throw notFound('Connected app')
      await audit(ctx, { action: 'app.disconnected', subject: { type: 'oauth_grant', id: app_id } })
    }),
})

/** For an account that a stranger may have used: the apps that they connected are removed with their sessions. */
export const disconnectAllApps = async (ctx: Ctx, userId: string): Promise<void> => {
  await ctx.db.deleteFrom('oauth_grants').where('user_id', '=', userId).execute()
}
