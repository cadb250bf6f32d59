/** The support chat, as one answer and as a stream. Both continue the conversation, which is kept for an hour. */
import { z } from 'zod'
import type { LlmError } from '../../adapters/llm/llm.ts'
import { capability } from '../../core/capability.ts'
import type { Ctx } from '../../core/context.ts'
import { guide } from '../guide/guide.ts'
import { sanitise, withoutControlCharacters } from '../redaction/redact.ts'
import { answerWhole, lookUp, type Material } from './answer.ts'
import { type Conversation, conversationOf } from './conversations.ts'

/** A limit, because anybody may ask and all messages are read with each question. */
const LONGEST_HISTORY = 24_000

export const SupportChatRequest = z
  .object({
    message: z
      .string()
      .min(1)
      .max(4000)
      .refine((text) => withoutControlCharacters(text).trim() !== '', 'The message is empty'),
    conversation_id: z
      .string()
      .min(1)
      .max(100)
      .nullish()
      .describe(
        'Continues a conversation of the last hour. Signed in, any id of your own; without an account a UUID, such as the one of an earlier answer.',
      ),
    asked_in: z
      .enum(['web_app', 'elsewhere'])
      .default('elsewhere')
      .describe('web_app: the answer says what to click there, before commands and API calls.'),
    history: z
      .array(z.object({ role: z.enum(['user', 'assistant']), content: z.string().max(8000) }))
      .max(20)
      .refine(
        (messages) => messages.reduce((sum, message) => sum + message.content.length, 0) <= LONGEST_HISTORY,
        `At most ${LONGEST_HISTORY} characters together: send the last messages`,
      )
      .nullish()
      .describe('Earlier messages. If sent, they replace what the server remembers.'),
  })
  .meta({ id: 'SupportChatRequest' })

export const SupportChatResponse = z
  .object({
    reply: z.string().describe('Markdown'),
    conversation_id: z.string(),
    sources: z.array(z.object({ title: z.string(), url: z.string() })),
  })
  .meta({ id: 'SupportChatResponse' })

type Request = z.output<typeof SupportChatRequest>

/** The material for the answer, and the conversation. */
export type Asked = { material: Material; conversation: Conversation }

export async function ask(ctx: Ctx, request: Request, signal?: AbortSignal): Promise<Asked> {
  // A model may run on another company's machines, so secrets are taken out before it sees the words.
  const clean = (text: string) => sanitise(text).text
  const message = clean(request.message)
  const conversation = await conversationOf(ctx, {
    conversation_id: request.conversation_id,
    history: request.history?.map(({ role, content }) => ({ role, content: clean(content) })),
  })
  const material = lookUp({
    message,
    history: conversation.history,
    guide: guide(),
    isInWebApp: request.asked_in === 'web_app',
    baseUrl: ctx.config.baseUrl,
    llm: ctx.config.llm ?? null,
    ...(signal ? { signal } : {}),
    onModelError: (error: LlmError) =>
      ctx.log.warn({ err: error }, 'the model did not answer; the guide does'),
  })
  return { material, conversation }
}

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
    const { material, conversation } = await ask(ctx, request)
    const reply = await answerWhole(material)
    await conversation.keep(material.question.message, reply)
    return { reply, conversation_id: conversation.id, sources: material.sources }
  },
})
