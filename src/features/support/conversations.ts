/** A conversation with the support chat can be continued for an hour, even if the client sends only the new message. */
import { randomUUID } from 'node:crypto'
import { type Ctx, inTx, SELF_GUARDED } from '../../core/context.ts'
import { Id } from '../../core/schemas.ts'
import { reseal, seal, sha256, unseal } from '../../core/secrets.ts'
import type { Db } from '../../db/db.ts'
import type { ChatMessage } from './answer.ts'

const KEPT_MS = 3_600_000
const MOST_MESSAGES = 20
const LONGEST_MESSAGE = 8000
/** The limit for all messages of a conversation; the oldest are dropped. */
const MOST_CHARACTERS = 16_000
const MOST_CONVERSATIONS = 10_000
const DROPPED_AT_ONCE = 1000

/** `secret` is known to those who continue the conversation alone. The secret of the server seals its text once more. */
type ConversationKey = { hash: string; secret: string; userId: string | null }

/**
 * The key of a conversation. Only its caller finds the conversation of a signed-in caller, under any id. Without an account
 * the id is the only key, so it must be hard to guess: a UUID, as the chat makes them. Others are not kept.
 */
function keyOf(ctx: Ctx, conversationId: string): ConversationKey | null {
  const userId = ctx.viewer?.userId ?? null
  if (userId === null && !Id.safeParse(conversationId).success) return null
  const name = `conversation:${userId ?? ''}:${conversationId}`
  return { hash: sha256(name), secret: name, userId }
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
  const sealed = row ? unseal(row.sealed_turns, ctx.secret) : null
  const messages = sealed === null ? null : unseal(sealed, secret)
  return messages === null ? [] : JSON.parse(messages)
}

async function write(
  ctx: Ctx,
  { hash, secret, userId }: ConversationKey,
  messages: readonly ChatMessage[],
): Promise<void> {
  const content = {
    sealed_turns: seal(seal(JSON.stringify(shorten(messages)), secret), ctx.secret),
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

/** The conversation that a request continues. The caller's own history, even an empty one, replaces ours. */
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
        // The answer is sent even if it cannot be stored.
        ctx.log.warn({ err: error }, 'a support conversation was not kept')
      }
    },
  }
}

/** Housekeeping: drops conversations that are over, and the oldest if there are too many. */
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
    SELF_GUARDED,
  )

/** Seals the conversations anew, and returns how many. Those of a third secret stay as they are. */
export async function resealConversations(db: Db, from: string, to: string): Promise<number> {
  const rows = await db
    .selectFrom('support_conversations')
    .select(['conversation_hash', 'sealed_turns'])
    .execute()
  let resealed = 0
  for (const { conversation_hash, sealed_turns } of rows) {
    const sealed = reseal(sealed_turns, from, to)
    if (sealed === null) continue
    await db
      .updateTable('support_conversations')
      .set({ sealed_turns: sealed })
      .where('conversation_hash', '=', conversation_hash)
      .execute()
    resealed += 1
  }
  return resealed
}
