import Fastify from 'fastify'
import { rawSqlite } from '../search/raw.ts'

/** The yardstick of searches: a Fastify route that asks SQLite's own full text index over the cards of a vault. */
const raw = rawSqlite(process.env.DATA_DIR ?? '')
const app = Fastify()
app.get('/', async () => 'ready')
app.post<{ Body: { query: string } }>('/', async ({ body }) => ({ found: await raw.ask(body.query) }))
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.on('SIGTERM', () => {
  raw.close()
  process.exit(0)
})
