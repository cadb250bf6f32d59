import { createRequire } from 'node:module'

/**
 * A request by node:http, because loading `fetch` takes 100 ms of processor time. An `import` of node:http loads the same: it
 * reads every export, and one of them is the client behind `fetch`. `require` does not.
 */
const require = createRequire(import.meta.url)

const httpFor = (url: string): typeof import('node:http') =>
  require(url.startsWith('https:') ? 'node:https' : 'node:http')

export type Posted = { status: number; body: unknown }

const MOST_BYTES = 1024 * 1024

export type PostOptions = { apiKey: string; timeoutMs: number; idempotencyKey?: string }

export async function postJson(url: string, body: unknown, options: PostOptions): Promise<Posted> {
  const { request } = httpFor(url)
  const sent = Buffer.from(JSON.stringify(body))
  return new Promise<Posted>((resolve, reject) => {
    const asked = request(
      url,
      {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/json',
          'content-length': sent.length,
          'x-api-key': options.apiKey,
          ...(options.idempotencyKey ? { 'idempotency-key': options.idempotencyKey } : {}),
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MOST_BYTES) asked.destroy(new Error('the answer is too large'))
          else chunks.push(chunk)
        })
        response.once('error', reject)
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: response.statusCode ?? 0, body: parsed(text) })
        })
      },
    )
    const limit = setTimeout(
      () => asked.destroy(new Error('no answer in time')),
      Math.max(1, options.timeoutMs),
    )
    asked.once('error', reject)
    asked.once('close', () => clearTimeout(limit))
    asked.end(sent)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
