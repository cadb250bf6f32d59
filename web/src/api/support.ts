import { request } from './client.ts'

export type ChatTurn = { role: 'user' | 'assistant'; content: string }
export type Source = { title: string; url: string }
export type ChatInput = { message: string; conversation_id?: string; history?: ChatTurn[] }
export type Ticket = { ticket_id: string; status: string; created_at: string }

/** The answer as it is written; the caller reads the events of the body. */
export const askSupportStream = Object.assign(
  async (input: ChatInput, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> => {
    const response = await request('/api/v1/chat/support/stream', {
      method: 'POST',
      body: JSON.stringify(input),
      signal,
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    })
    if (!response.body) throw new Error('The answer has no body.')
    return response.body
  },
  { spec: 'POST /api/v1/chat/support/stream' as const },
)

/** Multipart: the browser sets the content type with its boundary. */
export const sendTicket = Object.assign(
  async (form: FormData): Promise<Ticket> =>
    (await request('/api/v1/support/tickets', { method: 'POST', body: form })).json() as Promise<Ticket>,
  { spec: 'POST /api/v1/support/tickets' as const },
)
