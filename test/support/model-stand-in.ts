/** An OpenAI-compatible endpoint on loopback that streams, stalls, breaks off or refuses, as the test says. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ModelStandIn = {
  url: string
  prompts: { role: string; content: string }[][]
  /** How many answers were cut off because the asker left. */
  abandoned: number
  behave: 'answer' | 'stall' | 'break' | 'refuse'
  /** What an answer that is not streamed says, if the test wants other words. */
  says: string
  close: () => Promise<void>
}

const WORDS = ['Press ', 'Share ', 'on the card.']

export async function startModelStandIn(): Promise<ModelStandIn> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString())
      standIn.prompts.push(body.messages)
      response.on('close', () => {
        if (!response.writableFinished) standIn.abandoned += 1
      })
      if (standIn.behave === 'refuse') response.writeHead(500).end('no')
      else if (standIn.behave === 'stall' && !body.stream) return
      else if (body.stream) streamed(response, standIn.behave)
      else if (standIn.behave === 'break') response.end('{"choices":[{"mess')
      else response.end(JSON.stringify({ choices: [{ message: { content: standIn.says } }] }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const standIn: ModelStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    prompts: [],
    abandoned: 0,
    behave: 'answer',
    says: WORDS.join(''),
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
  return standIn
}

function streamed(response: ServerResponse, behave: ModelStandIn['behave']): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const say = (content: string) =>
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
  say(WORDS[0] ?? '')
  if (behave === 'stall') return
  if (behave === 'break') {
    setTimeout(() => response.destroy(), 20)
    return
  }
  for (const word of WORDS.slice(1)) say(word)
  response.end('data: [DONE]\n\n')
}
