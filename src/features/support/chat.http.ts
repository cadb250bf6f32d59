/** The support chat as Server-Sent Events: `delta` …, then `done`; comments in between keep the connection alive. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Services } from '../../core/context.ts'
import { contextOfRequest } from '../../core/http/context-of-request.ts'
import type { RawRoute } from '../../core/http/raw-route.ts'
import { parseInput } from '../../core/invoke.ts'
import { answerPieces } from './answer.ts'
import { type Asked, ask, SupportChatRequest } from './chat.ts'

const HEARTBEAT_MS = 10_000

export const streamSupportChat: RawRoute = {
  name: 'support.chat_stream',
  summary: 'Ask about Knowledge Vault; the answer arrives piece by piece',
  route: 'POST /api/v1/chat/support/stream',
  scopes: 'public',
  limit: 'support',
  openapi: {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/SupportChatRequest' } } },
    },
    responses: {
      200: {
        description: 'Events: `delta` {text}, repeated; at the end `done` {conversation_id, sources}',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
    },
  },
  handle: async (services, request, reply) => {
    const question = parseInput(SupportChatRequest, request.body ?? {})
    const response = reply.raw
    const left = clientLeft(response)
    const asked = await ask(contextOfRequest(services, request), question, left)
    reply.hijack()
    response.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'x-request-id': request.id,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    response.write(': hello\n\n')
    await speak(response, asked, { services, left })
  },
}

/** A client can leave before anybody listens, and `close` comes once: an answer to nobody would wait for ever. */
export function clientLeft(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  const leave = () => left.abort(new Error('the client has left'))
  if (response.destroyed) leave()
  else response.once('close', leave)
  return left.signal
}

export type Speaking = {
  services: Pick<Services, 'log'>
  left: AbortSignal
  heartbeatMs?: number
}

export async function speak(response: ServerResponse, asked: Asked, speaking: Speaking): Promise<void> {
  const { material, conversation } = asked
  const { services, left, heartbeatMs = HEARTBEAT_MS } = speaking
  let reply = ''
  // Not to a client that does not read: it would look alive forever.
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': still here\n\n')
  }, heartbeatMs)
  try {
    for await (const text of answerPieces(material)) {
      if (left.aborted) return
      reply += text
      await send(response, 'delta', { text }, left)
    }
    await conversation.keep(material.question.message, reply)
    await send(response, 'done', { conversation_id: conversation.id, sources: material.sources }, left)
  } catch (error) {
    if (left.aborted) return
    services.log.error({ err: error }, 'the support chat broke off')
    await send(
      response,
      'error',
      { code: 'internal_error', detail: 'The answer broke off. Ask again.' },
      left,
    )
  } finally {
    clearInterval(heartbeat)
    response.end()
  }
}

/** Waits for a slow reader instead of piling up what it has not read. */
async function send(response: ServerResponse, event: string, data: object, left: AbortSignal): Promise<void> {
  const hasRoom = response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  if (!hasRoom) await once(response, 'drain', { signal: left })
}
