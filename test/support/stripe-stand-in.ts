/** Speaks the parts of Stripe's protocol that the product uses, on loopback, and keeps every request for the test. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type StripeRequest = {
  method: string
  path: string
  form: Record<string, string>
  headers: IncomingMessage['headers']
}

type Objects = Map<string, Record<string, unknown>>

export type StripeStandIn = {
  url: string
  requests: StripeRequest[]
  subscriptions: Objects
  /** The checkouts that were made, as they are now. */
  sessions: () => Record<string, unknown>[]
  /** Those that were deleted, or are of another mode than the key. */
  unknownCustomers: Set<string>
  /** payment intent → invoice */
  invoicePayments: Map<string, string>
  /** Answers the next request with this status and error. */
  failNext: (status: number) => void
  close: () => Promise<void>
}

export async function startStripeStandIn(): Promise<StripeStandIn> {
  const requests: StripeRequest[] = []
  const subscriptions: Objects = new Map()
  const unknownCustomers = new Set<string>()
  const invoicePayments = new Map<string, string>()
  const made: Record<string, Record<string, unknown>[]> = {}
  const answers = new Map<string, unknown>()
  const failures: number[] = []
  let counter = 0

  const make = (kind: string, prefix: string, fields: Record<string, unknown>) => {
    counter += 1
    const object = { id: `${prefix}_stand_in_${counter}`, object: kind, ...fields }
    made[kind] = [...(made[kind] ?? []), object]
    return object
  }
  const list = (data: unknown[]) => ({ object: 'list', has_more: false, url: '/', data })
  const sessions = () => made['checkout.session'] ?? []

  const route = (method: string, url: URL, form: Record<string, string>): unknown => {
    const [, , ...parts] = url.pathname.split('/')
    const path = parts.join('/')
    const found = subscriptions.get(parts[1] ?? '')
    if (unknownCustomers.has(form.customer ?? url.searchParams.get('customer') ?? '')) return 'no_customer'
    switch (`${method} ${path}`) {
      case 'POST customers':
        return make('customer', 'cus', { email: form.email })
      case 'GET prices': {
        const key = url.searchParams.get('lookup_keys[0]')
        return list((made.price ?? []).filter((price) => price.lookup_key === key))
      }
      case 'POST products':
        if (made.product?.some((product) => product.id === form.id)) return 'resource_already_exists'
        return make('product', 'prod', { id: form.id, name: form.name })
      case 'POST prices':
        return make('price', 'price', { lookup_key: form.lookup_key, product: form.product })
      case 'POST checkout/sessions': {
        const session = make('checkout.session', 'cs', {
          mode: form.mode,
          customer: form.customer,
          status: 'open',
          metadata: form['metadata[user_id]']
            ? { user_id: form['metadata[user_id]'], attempt: form['metadata[attempt]'] }
            : {},
        })
        return { ...session, url: `https://checkout.stripe.example/${session.id}` }
      }
      case 'GET checkout/sessions': {
        const asked = ['customer', 'status'].map((name) => [name, url.searchParams.get(name)] as const)
        return list(sessions().filter((session) => asked.every(([name, value]) => session[name] === value)))
      }
      case 'GET billing_portal/configurations':
        return list(made['billing_portal.configuration'] ?? [])
      case 'POST billing_portal/configurations':
        return make('billing_portal.configuration', 'bpc', {
          metadata: { kv_offers: form['metadata[kv_offers]'] },
        })
      case 'POST billing_portal/sessions': {
        const session = make('billing_portal.session', 'bps', { customer: form.customer })
        return { ...session, url: `https://portal.stripe.example/${session.id}` }
      }
      case 'GET invoice_payments': {
        const invoice = invoicePayments.get(url.searchParams.get('payment[payment_intent]') ?? '')
        return list(invoice ? [{ id: 'inpay_1', object: 'invoice_payment', invoice }] : [])
      }
    }
    if (method === 'GET' && parts[0] === 'subscriptions') return found ?? null
    if (method === 'DELETE' && parts[0] === 'subscriptions') {
      if (!found || found.status === 'canceled') return 'resource_missing'
      return Object.assign(found, { status: 'canceled' })
    }
    if (method === 'POST' && path.startsWith('checkout/sessions/') && parts[3] === 'expire') {
      const session = sessions().find(({ id }) => id === parts[2])
      return session?.status === 'open' ? Object.assign(session, { status: 'expired' }) : 'not_open'
    }
    return null
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://stand-in')
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
      const method = request.method ?? 'GET'
      requests.push({ method, path: url.pathname, form, headers: request.headers })
      const send = (status: number, body: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      const failure = failures.shift()
      if (failure) return send(failure, { error: { type: 'invalid_request_error', message: 'made to fail' } })
      const key = request.headers['idempotency-key']
      const replay = typeof key === 'string' ? answers.get(`${url.pathname} ${key}`) : undefined
      if (replay) return send(200, replay)
      const body = route(method, url, form)
      if (body === 'resource_already_exists') {
        return send(400, { error: { type: 'invalid_request_error', code: body, message: 'exists' } })
      }
      if (body === 'no_customer') {
        const said = { code: 'resource_missing', param: 'customer', message: 'No such customer' }
        return send(400, { error: { type: 'invalid_request_error', ...said } })
      }
      // Stripe gives this refusal no code.
      if (body === 'not_open') {
        return send(400, { error: { type: 'invalid_request_error', message: 'only open ones expire' } })
      }
      if (!body || body === 'resource_missing')
        return send(404, { error: { type: 'invalid_request_error', code: 'resource_missing' } })
      if (typeof key === 'string') answers.set(`${url.pathname} ${key}`, body)
      return send(200, body)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    subscriptions,
    sessions,
    unknownCustomers,
    invoicePayments,
    failNext: (status) => failures.push(status),
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}
