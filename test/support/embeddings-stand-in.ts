/** An embeddings endpoint on loopback that knows a few words of one meaning, stalls, refuses or answers nonsense. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type EmbeddingsStandIn = {
  url: string
  /** All texts that were sent, in order. */
  texts: string[]
  requests: { model: string; authorization: string | undefined }[]
  behave: 'answer' | 'stall' | 'refuse' | 'too-few' | 'no-numbers' | 'no-direction' | 'no-json' | 'huge'
  /** Length of a vector. */
  dimensions: number
  delayMs: number
  /** Texts with this word are refused with 400. */
  refusedWord: string | undefined
  close: () => Promise<void>
}

/** Words of one line mean the same. */
const MEANINGS = [
  'memory heap oom swelling',
  'timeout waits slow hanging',
  'login password credentials unauthorised',
  'disk space full volume',
  'card title zebrafish',
].map((line) => new Set(line.split(' ')))

const OTHER_WORDS = 8

const hashOf = (word: string) =>
  [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7)

function vectorOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const meaning = MEANINGS.findIndex((words) => words.has(word))
    const at = meaning < 0 ? MEANINGS.length + (hashOf(word) % OTHER_WORDS) : meaning
    vector[at % dimensions] = (vector[at % dimensions] ?? 0) + (meaning < 0 ? 0.05 : 1)
  }
  return vector.some((number) => number !== 0) ? vector : vector.fill(0.1)
}

export async function startEmbeddingsStandIn(): Promise<EmbeddingsStandIn> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { model, input } = JSON.parse(Buffer.concat(parts).toString()) as { model: string; input: string[] }
    standIn.texts.push(...input)
    standIn.requests.push({ model, authorization: request.headers.authorization })
    if (standIn.delayMs > 0) await sleep(standIn.delayMs)
    answer(standIn, input, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const standIn: EmbeddingsStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    texts: [],
    requests: [],
    behave: 'answer',
    dimensions: 16,
    delayMs: 0,
    refusedWord: undefined,
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
  return standIn
}

function answer(standIn: EmbeddingsStandIn, input: readonly string[], response: ServerResponse): void {
  const { behave, dimensions, refusedWord } = standIn
  if (behave === 'stall') return
  if (behave === 'refuse') return void response.writeHead(500).end('no')
  if (behave === 'no-json') return void response.end('<html>')
  if (behave === 'huge') return void response.end('x'.repeat(64 * 2 ** 20))
  if (refusedWord && input.some((text) => text.includes(refusedWord)))
    return void response.writeHead(400).end('too long')
  const vectors = input.map((text) => {
    if (behave === 'no-numbers') return ['a', 'b', 'c']
    if (behave === 'no-direction') return new Array(dimensions).fill(0)
    return vectorOf(text, dimensions)
  })
  if (behave === 'too-few') vectors.pop()
  // Answers may come in any order: the index says which text is meant.
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse()
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }))
}
