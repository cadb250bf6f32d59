import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { PUBLIC_LIBRARY_ID } from '../../src/db/public-library.ts'
import { fill, withoutIndexes } from '../memory/fill.ts'
import { remixedCards, sentencesFrom } from '../search/cards.ts'
import { loadCards } from '../search/load.ts'
import { type Account, register } from '../search/vault.ts'
import { vacuumAnalyze } from '../support/vacuum.ts'
import { multiplyCards } from './multiply.ts'

/** Memory is sharded by its author, so the events belong to many people. */
const EVENTS_PER_PERSON = 10_000
const PEOPLE_AT_LEAST = 8
/** Lists of a part are folded before the next part is written: fresh cards are few, as in a vault in use. */
const CARDS_PER_PART = 100_000

export const projectOf = (person: number) => `bench/project${person}`

async function registerPeople(app: App, size: number): Promise<Account[]> {
  const people: Account[] = []
  const wanted = Math.max(PEOPLE_AT_LEAST, Math.ceil(size / EVENTS_PER_PERSON))
  for (let n = 0; n < wanted; n++) people.push(await register(app, `person${n}`))
  return people
}

/** Cards of all people in turn, half of them public. */
async function fillCards(app: App, people: readonly Account[], size: number): Promise<void> {
  const sentences = sentencesFrom(undefined)
  for (let done = 0; done < size; done += CARDS_PER_PART) {
    const cards = remixedCards(sentences, Math.min(CARDS_PER_PART, size - done), done)
    await loadCards(app.services, cards, (n) => {
      const { userId, workspaceId } = people[(n >> 1) % people.length] as Account
      return n % 2 === 0
        ? { ownerId: userId, workspaceId: PUBLIC_LIBRARY_ID, status: 'published' }
        : { ownerId: userId, workspaceId, status: 'unpublished' }
    })
    process.stderr.write(`${done + CARDS_PER_PART} of ${size} cards\n`)
  }
}

/** One project for each person, all of about the same size. */
async function fillEvents(app: App, people: readonly Account[], size: number, words?: number): Promise<void> {
  await withoutIndexes(app, async () => {
    for (const [n, person] of people.entries())
      await fill(app, person, projectOf(n), Math.ceil(size / people.length), words)
  })
}

/** How large a vault is: cards that differ, how often it has each of them, events, and the words of an event. */
export type VaultSize = { cards: number; times?: number; events?: number; words?: number | undefined }

type Env = Record<string, string> & { DATABASE_URL: string }

/** Fills an empty vault. Without a number of events it gets as many as cards. */
export async function fillVault(env: Env, size: VaultSize): Promise<void> {
  const { cards, times = 1, events = cards * times, words } = size
  const app = await buildApp(readConfig(env), { jobs: [], shedding: false })
  const people = await registerPeople(app, events)
  await fillCards(app, people, cards)
  if (times > 1) await multiplyCards(env.DATABASE_URL, times)
  await fillEvents(app, people, events, words)
  await vacuumAnalyze(app)
  await app.close()
}
