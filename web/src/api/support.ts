import type { z } from 'zod'
import type { OutputOf } from '#server/core/capability.ts'
import type { SupportChatRequest, supportChat } from '#server/features/support/chat.ts'
import { request, requestJson, type SendOptions } from './client.ts'

type ChatInput = z.input<typeof SupportChatRequest>
export type ChatMessage = NonNullable<ChatInput['history']>[number]
export type Source = OutputOf<typeof supportChat>['sources'][number]
export type TicketReceipt = { ticket_id: string; status: 'open'; created_at: string }

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
  (form: FormData, options: SendOptions): Promise<TicketReceipt> =>
    requestJson('/api/v1/support/tickets', { method: 'POST', body: form, ...options }),
  { spec: 'POST /api/v1/support/tickets' as const },
)
