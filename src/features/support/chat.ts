/** The support chat. Conversations are not stored: the caller keeps the turns and sends back what matters. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { LlmError } from '../../adapters/llm/llm.ts'
import { capability } from '../../core/capability.ts'
import type { Ctx } from '../../core/context.ts'
import { guide } from '../guide/guide.ts'
import { sanitise } from '../redaction/redact.ts'
import { answerWhole, lookUp, type Material } from './answer.ts'

/** Anybody may ask, and every turn is read again with each question. */
const LONGEST_HISTORY = 24_000

export const SupportChatRequest = z
  .object({
    message: z
      .string()
      .min(1)
      .max(4000)
      .refine((text) => text.trim() !== '', 'The message is empty'),
    conversation_id: z.string().min(1).max(100).nullish(),
    history: z
      .array(z.object({ role: z.enum(['user', 'assistant']), content: z.string().max(8000) }))
      .max(20)
      .refine(
        (turns) => turns.reduce((sum, turn) => sum + turn.content.length, 0) <= LONGEST_HISTORY,
        `At most ${LONGEST_HISTORY} characters together: send the last turns`,
      )
      .nullish(),
  })
  .meta({ id: 'SupportChatRequest' })

export const SupportChatResponse = z
  .object({
    reply: z.string().describe('Markdown'),
    conversation_id: z.string(),
    sources: z.array(z.object({ title: z.string(), url: z.string() })),
  })
  .meta({ id: 'SupportChatResponse' })

export function materialFor(
  ctx: Ctx,
  request: z.output<typeof SupportChatRequest>,
  signal?: AbortSignal,
): Material {
  // A model may run on another company's machines, so secrets are taken out before it sees the words.
  const clean = (text: string) => sanitise(text).text
  return lookUp({
    message: clean(request.message),
    history: (request.history ?? []).map(({ role, content }) => ({ role, content: clean(content) })),
    guide: guide(),
    llm: ctx.config.llm ?? null,
    ...(signal ? { signal } : {}),
    onModelError: (error: LlmError) =>
      ctx.log.warn({ err: error }, 'the model did not answer; the guide does'),
  })
}

export const conversationOf = (request: z.output<typeof SupportChatRequest>): string =>
  request.conversation_id ?? randomUUID()

export const supportChat = capability({
  name: 'support.chat',
  summary: 'Ask about Knowledge Vault; answered from its guide pages',
  scopes: 'public',
  rest: ['POST /api/v1/chat/support'],
  limit: 'support',
  idempotency: 'none',
  input: SupportChatRequest,
  output: SupportChatResponse,
  run: async (ctx, request) => {
    const material = materialFor(ctx, request)
    return {
      reply: await answerWhole(material),
      conversation_id: conversationOf(request),
      sources: material.sources,
    }
  },
})
