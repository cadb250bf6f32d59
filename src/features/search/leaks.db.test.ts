import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { goodCard, type Person, record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import { usualTuning } from '../../search-index/index.ts'

type StoredCard = {
  id: string
  owner: Person
  workspaceId: string
  published: boolean
  tags: string[]
  environment: Record<string, string>
  track: string
}

const ROUNDS = 60

onBothEngines(
  'search never crosses tenants',
  (t) => {
    const people: Person[] = []
    const visibility = new Map<string, string>()
    const members = new Map<string, Set<string>>()
    const cards: StoredCard[] = []

    beforeAll(async () => {
      for (const name of ['ann', 'ben', 'eve']) people.push(await t.user(name))
      const [ann, ben, eve] = people as [Person, Person, Person]
      for (const person of people) {
        visibility.set(person.workspaceId, 'private')
        members.set(person.workspaceId, new Set([person.userId]))
      }
      visibility.set(PUBLIC_LIBRARY_ID, 'public')
      for (const kind of ['private', 'unlisted', 'public']) {
        const made = await ann.post('/api/v1/workspaces', { name: kind, visibility: kind })
        const id: string = made.body.workspace_id
        visibility.set(id, kind)
        members.set(id, new Set([ann.userId, ben.userId]))
        await ann.post(`/api/v1/workspaces/${id}/members`, { user_id: ben.userId, role: 'editor' })
      }
      let n = 0
      const put = async (owner: Person, workspaceId: string, published: boolean) => {
        const more = {
          tags: n % 2 === 0 ? ['red'] : ['red', 'blue'],
          environment: { node: n % 3 === 0 ? '20.1' : '22' },
          card_type: n % 4 === 0 ? 'how_to' : 'debug_fix',
        }
        const card = await record(owner, {
          ...goodCard(`capybara${n++}`),
          title: 'Capybara meets the crocodile at noon',
          workspace_id: workspaceId,
          ...more,
        })
        if (published) await owner.post(`/api/v1/cards/${card.card_id}/share`)
        const track = more.card_type === 'debug_fix' ? 'debug' : 'build'
        cards.push({ id: card.card_id, owner, workspaceId, published, ...more, track })
      }
      for (const owner of people)
        for (const [workspaceId, kind] of visibility) {
          if (kind !== 'private' && owner === eve) continue
          if (!members.get(workspaceId)?.has(owner.userId)) continue
          for (const published of [true, false]) await put(owner, workspaceId, published)
        }
    })

    /** The rule once more, in the simplest words, as the oracle. */
    function mayFind(
      viewer: Person,
      scope: string,
      asked: readonly string[] | undefined,
      card: StoredCard,
    ): boolean {
      if (asked && asked.length > 0 && !asked.includes(card.workspaceId)) return false
      const own = card.owner === viewer
      if (scope === 'personal') return own
      const kind = visibility.get(card.workspaceId)
      if (scope === 'public') return card.published && kind === 'public'
      return Boolean(members.get(card.workspaceId)?.has(viewer.userId)) && (card.published || own)
    }

    test.each([
      ['read whole', usualTuning().readWhole],
      ['asked by the index', 0],
    ])('scopes %s: any person, scope and filters find exactly what the rule allows', async (_, readWhole) => {
      t.app.services.searchTuning.readWhole = readWhole
      const workspaces = [...visibility.keys()]
      const asked = fc.record(
        {
          who: fc.constantFrom(0, 1, 2),
          scope: fc.constantFrom('personal', 'workspace', 'public'),
          workspace_ids: fc.uniqueArray(fc.constantFrom(...workspaces), { maxLength: 3 }),
          tags: fc.constantFrom([], ['red'], ['RED', 'blue']),
          environment: fc.constantFrom({}, { node: '20' }, { Node: '22' }),
          track: fc.constantFrom('debug', 'build'),
        },
        { requiredKeys: ['who', 'scope'] },
      )
      await fc.assert(
        fc.asyncProperty(asked, async ({ who, ...input }) => {
          const viewer = people[who] as Person
          const answer = await viewer.post('/api/v1/search', {
            query: 'capybara crocodile',
            limit: 50,
            ...input,
          })
          const allowed = cards.filter(
            (card) =>
              mayFind(viewer, input.scope, input.workspace_ids, card) &&
              (input.tags ?? []).every((tag) => card.tags.includes(tag.toLowerCase())) &&
              Object.values(input.environment ?? {}).every((node) =>
                card.environment.node?.startsWith(node),
              ) &&
              (input.track === undefined || card.track === input.track),
          )
          const found = answer.body.results.map((result: { card_id: string }) => result.card_id)
          expect([...found].sort()).toEqual(allowed.map((card) => card.id).sort())
        }),
        { numRuns: ROUNDS },
      )
    })

    test('words of a stranger’s card lead nowhere, typed right or wrong', async () => {
      const [ann, , eve] = people as [Person, Person, Person]
      await record(ann, { title: 'Xerxesplan for the quarter' })
      for (const query of ['xerxesplan', 'xerxespaln', 'xesplan'])
        for (const scope of ['personal', 'workspace', 'public'])
          expect((await eve.post('/api/v1/search', { query, scope })).body.results).toEqual([])
    })
  },
  { CREDITS: 'off' },
)
