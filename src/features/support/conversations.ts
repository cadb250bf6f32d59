/** The support chat goes on for an hour after its last message, also where the client sends only the new one. */
import { randomUUID } from 'node:crypto'
import { type Ctx, inTx } from '../../core/context.ts'
import { Id } from '../../core/schemas.ts'
import { seal, sha256, unseal } from '../../core/secrets.ts'
import type { ChatMessage } from './answer.ts'

const KEPT_MS = 3_600_000
const MOST_MESSAGES = 20
const LONGEST_MESSAGE = 8000
/** All messages of a conversation together; the oldest give way. */
const MOST_CHARACTERS = 16_000
const MOST_CONVERSATIONS = 10_000
const DROPPED_AT_ONCE = 1000

type ConversationKey = { hash: string; secret: string; userId: string | null }

/**
 * Where a conversation is kept. One of a signed-in caller is found by that caller alone, under any id. Without an account
 * the id is all there is, so it must be one that nobody guesses: a UUID, as the chat hands them out. Others are not kept.
 */
function keyOf(ctx: Ctx, conversationId: string): ConversationKey | null {
  const userId = ctx.viewer?.userId ?? null
  if (userId === null && !Id.safeParse(conversationId).success) return null
  const name = `conversation:${userId ?? ''}:${conversationId}`
  return { hash: sha256(name), secret: `${ctx.secret}:${name}`, userId }
}

/** Within the limits, the newest last. */
function shorten(messages: readonly ChatMessage[]): ChatMessage[] {
  const kept: ChatMessage[] = []
  let characters = 0
  for (const { role, content } of messages.slice(-MOST_MESSAGES).reverse()) {
    const message = { role, content: content.slice(0, LONGEST_MESSAGE) }
    characters += message.content.length
    if (characters > MOST_CHARACTERS) break
    kept.unshift(message)
  }
  return kept
}

const freshSince = (ctx: Ctx) => new Date(ctx.now().getTime() - KEPT_MS).toISOString()

async function read(ctx: Ctx, { hash, secret }: ConversationKey): Promise<ChatMessage[]> {
  const row = await ctx.db
    .selectFrom('support_conversations')
    .select('sealed_turns')
    .where('conversation_hash', '=', hash)
    .where('updated_at', '>', freshSince(ctx))
    .executeTakeFirst()
  const messages = row ? unseal(row.sealed_turns, secret) : null
  return messages === null ? [] : JSON.parse(messages)
}

async function write(
  ctx: Ctx,
  { hash, secret, userId }: ConversationKey,
  messages: readonly ChatMessage[],
): Promise<void> {
  const content = {
    sealed_turns: seal(JSON.stringify(shorten(messages)), secret),
    updated_at: ctx.now().toISOString(),
  }
  await ctx.db
    .insertInto('support_conversations')
    .values({ conversation_hash: hash, user_id: userId, ...content })
    .onConflict((conflict) => conflict.column('conversation_hash').doUpdateSet(content))
    .execute()
}

export type Conversation = {
  id: string
  /** What was said before. */
  history: ChatMessage[]
  /** Keeps a question with its answer. */
  keep: (message: string, reply: string) => Promise<void>
}

type Asked = { conversation_id?: string | null | undefined; history?: ChatMessage[] | null | undefined }

/** The conversation that a request goes on with. The caller's own history, even an empty one, replaces ours. */
export async function conversationOf(ctx: Ctx, { conversation_id, history }: Asked): Promise<Conversation> {
  const id = conversation_id ?? randomUUID()
  const key = keyOf(ctx, id)
  const isKnown = key !== null && conversation_id != null && history == null
  return {
    id,
    // In a transaction, since a replica may not have the last answer yet.
    history: history ?? (isKnown ? await inTx(ctx, (ctx) => read(ctx, key)) : []),
    keep: async (message, reply) => {
      if (!key) return
      const said: ChatMessage[] = [
        { role: 'user', content: message },
        { role: 'assistant', content: reply },
      ]
      try {
        await inTx(ctx, async (ctx) => write(ctx, key, [...(history ?? (await read(ctx, key))), ...said]))
      } catch (error) {
        // The answer is there; that it is not remembered is no reason to withhold it.
        ctx.log.warn({ err: error }, 'a support conversation was not kept')
      }
    },
  }
}

/** Housekeeping: what is over goes, and the oldest where there are too many. */
export const dropOldConversations = (ctx: Ctx): Promise<unknown> =>
  inTx(
    ctx,
    async (ctx) => {
      await ctx.db.deleteFrom('support_conversations').where('updated_at', '<=', freshSince(ctx)).execute()
      await ctx.db
        .deleteFrom('support_conversations')
        .where('conversation_hash', 'in', (eb) =>
          eb
            .selectFrom('support_conversations as kept')
            .select('kept.conversation_hash')
            .orderBy('kept.updated_at', 'desc')
            .limit(DROPPED_AT_ONCE)
            .offset(MOST_CONVERSATIONS),
        )
        .execute()
    },
    { isolation: 'read committed' },
  )
