import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { complete, LlmError, readEvents, stream } from './llm.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

async function endpoint(handler: Handler) {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => handler(request, response, Buffer.concat(parts).toString()))
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'key-of-the-test', model: 'test-model' }
}

const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
const QUESTION = { messages: [{ role: 'user' as const, content: 'How do I share a card?' }] }

async function collect(pieces: AsyncIterable<string>) {
  const all: string[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

async function failure(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(LlmError)
  return (error as LlmError).reason
}

describe('a whole answer', () => {
  test('comes back as text; model, messages and key are sent', async () => {
    const seen: { url?: string; key?: string; body?: string } = {}
    const config = await endpoint((request, response, body) => {
      Object.assign(seen, { url: request.url, key: request.headers.authorization, body })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ choices: [{ message: { content: 'Open it and press Share.' } }] }))
    })
    expect(await complete(config, QUESTION)).toBe('Open it and press Share.')
    expect(seen.url).toBe('/v1/chat/completions')
    expect(seen.key).toBe('Bearer key-of-the-test')
    expect(JSON.parse(seen.body ?? '')).toMatchObject({ model: 'test-model', stream: false, ...QUESTION })
  })

  test('an error status, an empty answer and a non-JSON answer are told apart', async () => {
    const refused = await endpoint((_, response) => response.writeHead(500).end('no'))
    expect(await failure(complete(refused, QUESTION))).toBe('refused')
    const empty = await endpoint((_, response) => response.end('{"choices":[]}'))
    expect(await failure(complete(empty, QUESTION))).toBe('malformed')
    const html = await endpoint((_, response) => response.end('<html>'))
    expect(await failure(complete(html, QUESTION))).toBe('malformed')
  })

  test('a redirect is not followed, so the key stays with the configured host', async () => {
    let visits = 0
    const other = await endpoint((_, response) => {
      visits += 1
      response.end('{}')
    })
    const config = await endpoint((_, response) => response.writeHead(307, { location: other.baseUrl }).end())
    expect(await failure(complete(config, QUESTION))).toBe('unreachable')
    expect(visits).toBe(0)
  })

  test('nobody at home is unreachable, and an answer without end is cut off', async () => {
    expect(
      await failure(complete({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: null, model: 'm' }, QUESTION)),
    ).toBe('unreachable')
    const config = await endpoint((_, response) => response.end(`"${'x'.repeat(1100 * 1024)}"`))
    expect(await failure(complete(config, QUESTION))).toBe('too_long')
  })
})

describe('a streamed answer', () => {
  test('arrives piece by piece, whatever way the bytes are cut', async () => {
    const wire = `: hello\r\n\r\n${delta('Grü')}${delta('ße')}data: [DONE]\n\n`
    const config = await endpoint(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      for (const byte of Buffer.from(wire)) response.write(Buffer.of(byte))
      response.end()
    })
    expect(await collect(stream(config, QUESTION))).toEqual(['Grü', 'ße'])
  })

  test('a finish reason ends it too; an endpoint that does not stream gives one piece', async () => {
    const finish = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\n`
    const config = await endpoint((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(delta('a') + finish)
    })
    expect(await collect(stream(config, QUESTION))).toEqual(['a'])
    const plain = await endpoint((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ choices: [{ message: { content: 'whole' } }] }))
    })
    expect(await collect(stream(plain, QUESTION))).toEqual(['whole'])
  })

  test('an answer that breaks off half-way is an error, after the pieces that came', async () => {
    const config = await endpoint((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(delta('half'), () => setTimeout(() => response.destroy(), 20))
    })
    const pieces: string[] = []
    const reading = (async () => {
      for await (const piece of stream(config, QUESTION)) pieces.push(piece)
    })()
    expect(['interrupted', 'unreachable']).toContain(await failure(reading))
    expect(pieces).toEqual(['half'])
    const clean = await endpoint((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(delta('half'))
    })
    expect(await failure(collect(stream(clean, QUESTION)))).toBe('interrupted')
  })

  test('an endpoint that stalls runs into the idle limit', async () => {
    const config = await endpoint((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('and then'))
    })
    expect(await failure(collect(stream(config, { ...QUESTION, idleMs: 50 })))).toBe('timeout')
    const silent = await endpoint(() => {})
    expect(await failure(complete(silent, { ...QUESTION, totalMs: 50 }))).toBe('timeout')
  })

  test('leaving the loop closes the connection, so the model stops working', async () => {
    let closed = false
    const config = await endpoint((_, response) => {
      response.on('close', () => {
        closed = true
      })
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('first'))
    })
    for await (const piece of stream(config, QUESTION)) {
      expect(piece).toBe('first')
      break
    }
    while (!closed) await wait(5)
  })

  test("the caller's own abort passes through as what it is", async () => {
    const config = await endpoint((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('first'))
    })
    const controller = new AbortController()
    const reading = (async () => {
      for await (const _ of stream(config, { ...QUESTION, signal: controller.signal }))
        controller.abort(new Error('left'))
    })()
    await expect(reading).rejects.toThrow('left')
  })
})

test('event data over several lines is joined, other fields are passed over', async () => {
  async function* bytes() {
    yield Buffer.from('event: x\r')
    yield Buffer.from('\nid: 1\r\ndata: one\r\ndata:two\r\n\r\n\ndata: lost')
  }
  expect(await collect(readEvents(bytes(), () => {}))).toEqual(['one\ntwo'])
})
