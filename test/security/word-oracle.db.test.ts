import { beforeAll, expect, test } from 'vitest'
import { contextFor } from '../../src/core/context.ts'
import { retrieve } from '../../src/features/search/retrieve.ts'
import { maintainIndex, usualTuning } from '../../src/search-index/index.ts'
import { readQuery } from '../../src/text/query.ts'
import { goodCard, type Person, record } from '../support/cards.ts'
import { onBothEngines, type TestVault } from '../support/engines.ts'

const PROBES = ['aardwolf', 'bandicoot', 'cassowary']
const STRANGERS_CARDS = 5

type Scope = 'personal' | 'workspace' | 'public'

/** All that a search answers, without what differs from one call to the next anyway. */
async function seen(as: Person, query: string, scope: Scope) {
  const { body } = await as.post('/api/v1/search', { query, scope, limit: 50 })
  const { took_ms: _, credits_balance: __, ...answer } = body
  return answer
}

onBothEngines(
  'what strangers keep to themselves changes no answer',
  (t: TestVault) => {
    const usual = usualTuning()
    beforeAll(() => {
      t.app.services.searchTuning.foldFrom = 1
    })
    const tend = () => maintainIndex(contextFor(t.app.services))

    test.each([
      ['read whole', usual.readWhole],
      ['asked by the index', 0],
    ])('scopes %s: order, total and corrected words stay as they were', async (_, readWhole) => {
      t.app.services.searchTuning.readWhole = readWhole
      // Words of their own for each round: what was said in the one before is there already.
      const probes = PROBES.map((probe) => `${probe}${readWhole === 0 ? 'ux' : 'ox'}`)
      const asker = await t.user('asker')
      const control = 'quetzal'
      for (const probe of probes) {
        // Of two cards the newer has the probe, and comes first as long as the probe is as rare as the other's word.
        await record(asker, { title: `Pool stalls ${control}${probe}`, symptom: 'one', fix_summary: 'two' })
        await record(asker, { title: `Pool stalls ${probe}`, symptom: 'one', fix_summary: 'two' })
      }
      await tend()
      const queries = probes.flatMap((probe) => [
        `${probe} ${control}${probe}`,
        `${probe.slice(0, -2)}${probe.at(-1)}${probe.at(-2)}`,
        `${probe}zzz`,
        probe.slice(1, -1),
      ])
      const before = []
      for (const query of queries) before.push(await seen(asker, query, 'personal'))
      const similarBefore = await similarities(asker)

      const stranger = await t.user('stranger')
      for (const probe of probes)
        for (let n = 0; n < STRANGERS_CARDS; n++)
          await record(stranger, {
            title: `${probe} ${probe}zzz ${probe}zzy ${probe.slice(1)}`,
            symptom: `${probe} private `.repeat(40),
            fix_summary: probe,
          })
      await tend()
      const after = []
      for (const query of queries) after.push(await seen(asker, query, 'personal'))
      expect(after).toEqual(before)
      expect(await similarities(asker)).toEqual(similarBefore)
    })

    const similarities = async (as: Person) => {
      const { body } = await as.get('/api/v1/cards?page_size=100')
      const found = []
      for (const { card_id } of body.items)
        found.push((await as.get(`/api/v1/cards/${card_id}/similar`)).body)
      return found
    }

    test('words are counted over public cards and those of the scope, and nothing else', async () => {
      const [asker, stranger, author] = [await t.user(), await t.user(), await t.user()]
      const word = 'okapi'
      const published = await record(author, { ...goodCard(), root_cause: `An ${word} stood in the way` })
      expect((await author.post(`/api/v1/cards/${published.card_id}/publish`)).status).toBe(200)
      await record(asker, { title: `My ${word}` })
      for (let n = 0; n < STRANGERS_CARDS; n++) await record(stranger, { title: `Their ${word} ${n}` })
      await tend()
      const ctx = contextFor(t.app.services)
      const counted = async (viewerId: string, scope: Scope) => {
        const asked = { viewerId, scope, workspaceIds: [], tags: [], environment: {}, filters: {} }
        const { visible } = await retrieve(ctx, readQuery(word), asked)
        return visible.words.get(word)
      }
      for (const readWhole of [usual.readWhole, 0]) {
        t.app.services.searchTuning.readWhole = readWhole
        expect(await counted(asker.userId, 'personal')).toBe(2)
        expect(await counted(asker.userId, 'public')).toBe(1)
        expect(await counted(stranger.userId, 'personal')).toBe(1 + STRANGERS_CARDS)
      }

      await author.post(`/api/v1/cards/${published.card_id}/unpublish`)
      await tend()
      expect(await counted(asker.userId, 'public')).toBe(0)
      expect(await counted(asker.userId, 'personal')).toBe(1)
    })

    test('a word that only strangers have is not taken to be spelled right, and theirs are no correction', async () => {
      const [asker, stranger] = [await t.user(), await t.user()]
      const mine = await record(asker, { title: 'The wolverinex never stops' })
      const nearer = 'abcdfghjk'.replaceAll(/./g, ' wolverine$&')
      for (let n = 0; n < STRANGERS_CARDS; n++) await record(stranger, { title: `wolverine ${n} ${nearer}` })
      await tend()
      for (const readWhole of [usual.readWhole, 0]) {
        t.app.services.searchTuning.readWhole = readWhole
        const { results } = await seen(asker, 'wolverine', 'personal')
        expect(results.map((result: { card_id: string }) => result.card_id)).toEqual([mine.card_id])
      }
    })
  },
  { CREDITS: 'off' },
)
