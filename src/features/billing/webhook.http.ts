import { contextOfRequest } from '../../core/http/context-of-request.ts'
import type { RawRoute } from '../../core/http/raw-route.ts'
import { receiveEvent } from './webhook.ts'

const MAX_EVENT_BYTES = 512 * 1024

export const billingWebhook: RawRoute = {
  name: 'billing.webhook',
  summary: 'Events of the payment provider, checked by signature; a repeated event has no repeated effect',
  route: 'POST /api/v1/billing/webhook',
  scopes: 'public',
  // All of a provider's events come from a few addresses, many at once on the first of a month.
  limit: 'read',
  bodyLimit: MAX_EVENT_BYTES,
  openapi: {
    parameters: [
      {
        name: 'Stripe-Signature',
        in: 'header',
        required: true,
        description:
          'By the signing secret and at most five minutes old; otherwise 400, and nothing is booked.',
        schema: { type: 'string' },
      },
    ],
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    responses: {
      200: {
        description: 'Received; `handled` tells whether it concerned this service',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['received', 'handled'],
              properties: {
                received: { type: 'boolean' },
                handled: { type: 'boolean' },
                duplicate: { type: 'boolean' },
              },
            },
          },
        },
      },
    },
    errors: [400],
  },
  // The signature is over the bytes as they were sent, so nothing may parse them before.
  prepare: (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  },
  handle: async (services, request) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const signature = request.headers['stripe-signature']
    return receiveEvent(
      contextOfRequest(services, request),
      body,
      typeof signature === 'string' ? signature : undefined,
    )
  },
}
