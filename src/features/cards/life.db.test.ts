import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type Actor, type Command, Model } from '../../../test/support/card-model.ts'
import { goodCard, type Person, titleWord } from '../../../test/support/cards.ts'
import type { Answer } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'

const ACTORS = [0, 1, 2, 3] as const
const ROUNDS = 5

/** Few cards and mostly their owners: then a card lives through much in one round. */
const MAX_CARDS = 4
const by = fc.constantFrom<Actor>(...ACTORS)
const who = fc.oneof({ arbitrary: fc.constant('owner' as const), weight: 3 }, { arbitrary: by, weight: 2 })
const card = fc.nat({ max: MAX_CARDS - 1 })
const good = fc.constantFrom(true, true, true, false)

/** A command with the card's owner for somebody. */
type Drawn = Command extends infer C
  ? C extends { card: number }
    ? Omit<C, 'by'> & { by: Actor | 'owner' }
    : C
  : never

const drawn: fc.Arbitrary<Drawn> = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant('record' as const),
      by,
      workspace: fc.constantFrom('home', 'team'),
      good,
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ do: fc.constant('update' as const), by: who, card, good }), weight: 2 },
  {
    arbitrary: fc.record({
      do: fc.constantFrom(
        'share',
        'share',
        'unpublish',
        'unpublish',
        'unpublish',
        'delete',
        'undelete',
        'undelete',
      ),
      by: who,
      card,
    }),
    weight: 6,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      by: who,
      card,
      target: fc.constantFrom('library', 'library', 'team'),
    }),
    weight: 6,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('feedback' as const),
      by: who,
      card,
      kind: fc.constantFrom('useful', 'useful', 'not_applicable', 'outdated'),
    }),
    weight: 4,
  },
)

/** The command as it can be carried out now, or undefined where it makes no sense. */
function settled(drawn: Drawn, model: Model): Command | undefined {
  if (drawn.do === 'record') return model.cards.length < MAX_CARDS ? drawn : undefined
  if (model.cards.length === 0) return undefined
  const card = drawn.card % model.cards.length
  const owner = model.cards[card]?.owner ?? 0
  return { ...drawn, card, by: drawn.by === 'owner' ? owner : drawn.by }
}

onBothEngines('the life of cards, against a model', (t) => {
  let people: [Person, Person, Person, Person]
  let team: string

  beforeAll(async () => {
    people = [await t.user(), await t.user(), await t.user(), await t.user()]
    team = (await people[0].post('/api/v1/workspaces', { name: 'Team' })).body.workspace_id
    for (const [actor, role] of [
      [1, 'editor'],
      [2, 'viewer'],
    ] as const)
      await people[0].post(`/api/v1/workspaces/${team}/members`, { user_id: people[actor].userId, role })
  })

  const text = (word: string, isGood: boolean) =>
    isGood ? goodCard(word) : { ...goodCard(word), symptom: 'short' }

  function carryOut(command: Command, ids: readonly string[], word: string): Promise<Answer> {
    const person = people[command.by]
    if (command.do === 'record')
      return person.post('/api/v1/cards', {
        ...text(word, command.good),
        ...(command.workspace === 'team' ? { workspace_id: team } : {}),
      })
    const url = `/api/v1/cards/${ids[command.card]}`
    switch (command.do) {
      case 'update':
        return person.patch(url, text(word, command.good))
      case 'delete':
        return person.delete(url)
      case 'feedback':
        return person.post(`${url}/feedback`, { kind: command.kind })
      case 'publish':
        return person.post(`${url}/publish${command.target === 'team' ? `?target_workspace_id=${team}` : ''}`)
      default:
        return person.post(`${url}/${command.do}`)
    }
  }

  const balances = async () => {
    const answers = await Promise.all(people.map((person) => person.get('/api/v1/auth/me')))
    return answers.map((answer): number => answer.body.credits_balance)
  }

  const rewardsGiven = async (): Promise<[number, number, number, number]> => {
    const rows = await t.app.services.database.read
      .selectFrom('card_feedback')
      .select(['user_id', (eb) => eb.fn.countAll<number>().as('rewards')])
      .where('rewarded_at', 'is not', null)
      .groupBy('user_id')
      .execute()
    const of = (person: Person) => rows.find((row) => row.user_id === person.userId)?.rewards ?? 0
    return [of(people[0]), of(people[1]), of(people[2]), of(people[3])]
  }

  async function expectStates(model: Model, ids: readonly string[]): Promise<void> {
    const workspaces = (owner: Actor) => ({
      home: people[owner].workspaceId,
      team,
      library: PUBLIC_LIBRARY_ID,
    })
    for (const actor of ACTORS) {
      for (const [i, expected] of model.cards.entries()) {
        const { status, body } = await people[actor].get(`/api/v1/cards/${ids[i]}`)
        expect(status).toBe(model.mayRead(actor, expected) ? 200 : 404)
        if (status !== 200) continue
        const counts = (kind: string) => [...expected.feedback.values()].filter((k) => k === kind).length
        expect(body).toMatchObject({
          status: expected.published ? 'published' : 'unpublished',
          workspace_id: workspaces(expected.owner)[expected.workspace],
          origin_workspace_id: workspaces(expected.owner)[
            actor === expected.owner ? expected.origin : expected.workspace
          ],
          owner_id: people[expected.owner].userId,
          version: expected.version,
          can_edit: model.mayEdit(actor, expected),
          feedback: {
            useful: counts('useful'),
            not_applicable: counts('not_applicable'),
            outdated: counts('outdated'),
          },
        })
      }
      for (const scope of ['personal', 'workspace', 'public'] as const) {
        const { body } = await people[actor].get(`/api/v1/cards?scope=${scope}&page_size=100`)
        const listed = body.items.map((item: { card_id: string }) => item.card_id)
        const expected = ids.filter((_, i) => {
          const card = model.cards[i]
          return card && model.isListed(actor, card, scope)
        })
        expect(listed.filter((id: string) => ids.includes(id)).sort()).toEqual([...expected].sort())
      }
    }
  }

  /** Free scopes only: a public search would move the credits that the model counts. */
  async function expectFound(model: Model, ids: readonly string[], words: readonly string[]): Promise<void> {
    for (const actor of ACTORS)
      for (const scope of ['personal', 'workspace'] as const)
        for (const [i, card] of model.cards.entries()) {
          const { body } = await people[actor].post('/api/v1/search', { query: titleWord(words[i]), scope })
          const found = body.results.some((hit: { card_id: string }) => hit.card_id === ids[i])
          expect(found).toBe(model.isListed(actor, card, scope))
        }
  }

  test('states, rewards and visibility always agree', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { minLength: 10, maxLength: 60, size: 'max' }), async (sequence) => {
        const before = await balances()
        const model = new Model(await rewardsGiven())
        const ids: string[] = []
        const words: string[] = []
        for (const step of sequence) {
          const command = settled(step, model)
          if (!command) continue
          const word = crypto.randomUUID()
          const answer = await carryOut(command, ids, word)
          expect({ ...command, status: answer.status }).toEqual({ ...command, status: model.apply(command) })
          if (answer.status === 201 && command.do === 'record') {
            ids.push(answer.body.card_id)
            words.push(word)
          }
          if (answer.status === 200 && command.do === 'update') words[command.card] = word
        }
        await expectStates(model, ids)
        await expectFound(model, ids, words)
        const after = await balances()
        expect(after).toEqual(before.map((balance, actor) => balance + (model.credits[actor] ?? 0)))
      }),
      { numRuns: ROUNDS },
    )
  }, 300_000)
})
