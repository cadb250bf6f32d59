import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { capabilities, rawRoutes } from '../../capabilities.ts'
import { buildServer } from './server.ts'

/** The server with a hook of each kind, and the names of those that saw a request. */
async function watched(services: Parameters<typeof buildServer>[0]) {
  const seen: string[] = []
  const serveMcp: Parameters<typeof buildServer>[1]['serveMcp'] = async (app) => {
    app.addHook('preHandler', (_request, reply, done) => {
      seen.push('preHandler')
      reply.header('x-plugin', 'was here')
      done()
    })
    app.addHook('onSend', (_request, _reply, _payload, done) => {
      seen.push('onSend')
      done()
    })
    app.addHook('onResponse', (_request, _reply, done) => {
      seen.push('onResponse')
      done()
    })
  }
  const app = await buildServer(services, { capabilities, rawRoutes, serveMcp, shedding: false })
  return {
    close: () => app.close(),
    get: async (url: string) => {
      seen.length = 0
      const { statusCode, headers } = await app.inject({ url })
      return { statusCode, header: headers['x-plugin'], seen: [...seen] }
    },
  }
}

onBothEngines('what a plugin sees', (t) => {
  test('every answer passes all hooks: of capabilities, of other routes, and errors', async () => {
    const server = await watched(t.app.services)
    const all = ['preHandler', 'onSend', 'onResponse']
    for (const url of ['/api/v1/billing/plans', '/openapi.json'])
      expect(await server.get(url)).toEqual({ statusCode: 200, header: 'was here', seen: all })
    const refused = await server.get('/api/v1/cards/not-an-id/feedback/stats')
    expect([refused.statusCode, refused.seen]).toEqual([422, expect.arrayContaining(['onSend'])])
    await server.close()
  })
})
