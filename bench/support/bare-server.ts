import Fastify from 'fastify'

/** The yardstick: a Fastify route that does nothing but answer the bytes it was given. */
const body = Buffer.from(process.env.BODY_BASE64 ?? '', 'base64')
const app = Fastify()
const answer = async (
  _request: unknown,
  reply: { header: (name: string, value: string) => { send: (body: Buffer) => unknown } },
) => reply.header('content-type', 'application/json; charset=utf-8').send(body)
app.get('/', answer)
app.post('/', answer)
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.on('SIGTERM', () => process.exit(0))
