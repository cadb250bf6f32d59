import { sql } from 'kysely'
import type { App } from '../../src/app.ts'
import type { Answer, Client } from './client.ts'
import type { TestVault } from './engines.ts'

/** A word that stands in the title of `goodCard(word)` and nowhere else. */
export const titleWord = (word = '') => `${word.replaceAll('-', '')}1`

/** A card that passes the review; the word makes it its own, so that no two are duplicates. */
export const goodCard = (word: string = crypto.randomUUID(), more: Record<string, unknown> = {}) => {
  // Its own words in every field, so that cards with other words share no three words in a row.
  const w = (i: number) => `${word.replaceAll('-', '')}${i}`
  return {
    title: `Connection pool ${w(1)} exhausted under ${w(2)} load`,
    symptom: `Requests ${w(3)} hang for ${w(4)} seconds and then ${w(5)} fail with a ${w(6)} timeout while the pool ${w(7)} is empty`,
    fix_summary: `Release ${w(8)} every client in a ${w(9)} finally block and ${w(10)} raise the pool size to ${w(11)} so that bursts fit`,
    root_cause: `A thrown ${w(12)} error skipped the release`,
    ...more,
  }
}

export type Person = Awaited<ReturnType<TestVault['user']>>

export async function record(as: Client, more: Record<string, unknown> = {}): Promise<Answer['body']> {
  const answer = await as.post('/api/v1/cards', { ...goodCard(), ...more })
  if (answer.status !== 201) throw new Error(`record: ${answer.status} ${answer.text}`)
  return answer.body
}

/** Rows like the one that `where` finds, made past the doors: for tests that need many of them and are about something else. */
export async function addLike(
  { services }: App,
  table: 'cards' | 'card_evidences' | 'card_feedback' | 'card_verdicts' | 'context_events' | 'credit_entries',
  [column, value]: [column: string, value: string],
  differences: readonly Record<string, unknown>[],
): Promise<void> {
  await services.database.transaction(async (db) => {
    const found = db.selectFrom(table).selectAll().where(sql.ref(column), '=', value)
    const row = await found.executeTakeFirstOrThrow()
    await db
      .insertInto(table)
      .values(differences.map((different) => ({ ...row, ...different })))
      .execute()
  })
}

/** A workspace with an admin, and one person for each further role. */
export async function team(t: TestVault, settings: Record<string, unknown> = {}) {
  const [admin, editor, viewer] = [await t.user('admin'), await t.user('editor'), await t.user('viewer')]
  const made = await admin.post('/api/v1/workspaces', { name: 'Team', ...settings })
  if (made.status !== 201) throw new Error(`workspace: ${made.status} ${made.text}`)
  const workspaceId: string = made.body.workspace_id
  for (const [person, role] of [
    [editor, 'editor'],
    [viewer, 'viewer'],
  ] as const) {
    const added = await admin.post(`/api/v1/workspaces/${workspaceId}/members`, {
      user_id: person.userId,
      role,
    })
    if (added.status !== 200) throw new Error(`member: ${added.status} ${added.text}`)
  }
  return { workspaceId, admin, editor, viewer }
}
