import { expect, test } from 'vitest'
import { emit, mergeSubscribers, type Subscribers } from './events.ts'

type Told = { subscribers: Subscribers<Told>; heard: string[] }
const hear = (who: string): Subscribers<Told> => ({
  'card.deleted': [async (ctx, { cardId }) => void ctx.heard.push(`${who} ${cardId}`)],
})
const deleted = { cardId: 'c1', workspaceId: 'w1' }

test('subscribers run in the order of their lists, and only for their event', async () => {
  const ctx: Told = { subscribers: mergeSubscribers(hear('trust'), hear('audit')), heard: [] }
  await emit(ctx, 'card.deleted', deleted)
  await emit(ctx, 'card.undeleted', deleted)
  expect(ctx.heard).toEqual(['trust c1', 'audit c1'])
})

test('a subscriber that fails fails the caller, so that the transaction rolls back', async () => {
  const failing: Subscribers<Told> = {
    'card.deleted': [() => Promise.reject(new Error('no room for the entry'))],
  }
  const ctx: Told = { subscribers: mergeSubscribers(failing, hear('after')), heard: [] }
  await expect(emit(ctx, 'card.deleted', deleted)).rejects.toThrow('no room')
  expect(ctx.heard).toEqual([])
})
