import { DAY_MS } from '../../src/shared/time.ts'
import { makeAdmin } from './admin.ts'
import type { Person } from './cards.ts'
import type { Client } from './client.ts'
import type { TestVault } from './engines.ts'

export const report = (by: Client, cardId: string, kind = 'dangerous', note: string | null = null) =>
  by.post(`/api/v1/cards/${cardId}/report`, { kind, note })

/** The matter of a card, as a moderator finds it. */
export const matterOf = async (moderator: Person, cardId: string) => {
  const { body } = await moderator.get('/api/v1/moderation/matters?page_size=100')
  return body.items.find((one: { card_id: string }) => one.card_id === cardId)
}

export const decide = (moderator: Person, found: { matter_id: string; revision: number }, more: object) =>
  moderator.post(`/api/v1/moderation/matters/${found.matter_id}/decision`, {
    revision: found.revision,
    reason: 'It deletes the home folder of its reader.',
    ...more,
  })

export async function serviceAdmin(t: TestVault): Promise<Person> {
  const person = await t.user('service-admin')
  await makeAdmin(t.app, person.email)
  return person
}

/** Their accounts are a year old from now on. */
export async function makeLongKnown(t: TestVault, ...people: readonly Person[]): Promise<void> {
  const since = new Date(Date.now() - 365 * DAY_MS).toISOString()
  const ids = people.map(({ userId }) => userId)
  await t.app.services.database.transaction((db) =>
    db.updateTable('users').set({ created_at: since }).where('user_id', 'in', ids).execute(),
  )
}

/** Somebody whose account is a year old. */
export async function longKnown(t: TestVault): Promise<Person> {
  const person = await t.user('long-known')
  await makeLongKnown(t, person)
  return person
}
