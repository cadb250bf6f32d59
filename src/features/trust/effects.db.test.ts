import { expect, test } from 'vitest'
import { type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { keepOpened } from '../cards/deliveries.ts'
import { countRepeats } from './effects.ts'

const word = () => `w${crypto.randomUUID().replaceAll('-', '')}`
const failing = (name: string) => `$ npm test\nexit code 1\nError: Cannot find module '${name}-client'`

test('an error counts as avoided only where a card came between, and it took fewer attempts', () => {
  const overcome = (signature: string, attempts: number, delivered: number | null = null) => ({
    user_id: 'a',
    signature,
    attempts,
    delivered,
  })
  expect(countRepeats([])).toEqual({ seen_again: 0, fewer: 0 })
  expect(
    countRepeats([
      overcome('x', 4),
      overcome('x', 2),
      overcome('x', 1, 1),
      overcome('y', 1),
      overcome('y', 1, 1),
      overcome('z', 1, 1),
      { ...overcome('x', 1, 1), user_id: 'b' },
    ]),
  ).toEqual({ seen_again: 2, fewer: 1 })
})

onBothEngines('what recall did', (t) => {
  const effects = async (user: Person, query = '') => (await user.get(`/api/v1/effects${query}`)).body
  const known = (name: string, more: object = {}) => ({
    title: `Error: Cannot find module '${name}-client'`,
    symptom: `npm test fails with Error: Cannot find module '${name}-client' after a fresh checkout.`,
    ...more,
  })
  const recall = async (user: Person, name: string, sessionId: string) => {
    const answer = await user.post('/api/v1/recall', {
      moment: 'failure',
      text: failing(name),
      session_id: sessionId,
    })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }

  test('the number of days is read alike for the figures and for their rows', async () => {
    const user = await t.user()
    const queries = [
      'days=30',
      'days=400&days=2',
      'days=2&days=400',
      'days=0',
      'days=0x1e',
      'days=1e1',
      'days=',
    ]
    for (const query of [...queries, 'days=%2030', 'days=30.0', 'days=x']) {
      const [figures, rows] = [
        await user.get(`/api/v1/effects?${query}`),
        await user.get(`/api/v1/effects/rows?${query}`),
      ]
      expect(rows.status, query).toBe(figures.status)
      if (figures.status === 422) expect(rows.body, query).toEqual(figures.body)
    }
  })

  test('the figures of a person, each with its total, and the rows behind them', async () => {
    const user = await t.user()
    const name = word()
    const { card_id } = await record(user, known(name))
    expect(await effects(user)).toMatchObject({
      people: 1,
      answered: { count: 0, of: 0 },
      characters: { count: 0, of: 0 },
    })
    const said = await recall(user, name, '=one')
    expect(said.silent).toBe(false)
    const other = { moment: 'failure', text: '$ ls\nexit code 0\nsrc' }
    expect((await user.post('/api/v1/recall', other)).body.silent).toBe(true)
    await user.get(`/api/v1/cards/${card_id}`)
    await keepOpened(contextFor(t.app.services))
    await user.post(`/api/v1/cards/${card_id}/verdicts`, { outcome: 'worked' })
    expect(await effects(user)).toMatchObject({
      answered: { count: 1, of: 2 },
      opened: { count: 1, of: 1 },
      judged: { count: 1, of: 1 },
      worked: { count: 1, of: 1 },
      avoided: { count: 0, of: 0 },
      characters: { count: said.chars, of: 1 },
    })
    await user.post(`/api/v1/cards/${card_id}/verdicts`, { outcome: 'failed' })
    expect(await effects(user)).toMatchObject({ judged: { count: 1, of: 1 }, worked: { count: 0, of: 1 } })
    await user.delete(`/api/v1/cards/${card_id}/verdicts`)
    expect(await effects(user)).toMatchObject({ judged: { count: 0, of: 1 }, worked: { count: 0, of: 0 } })
    const rows = (await user.get('/api/v1/effects/rows')).body
    expect(rows).toMatchObject([{ kind: 'card', item_id: card_id, session_id: '=one', chars: said.chars }])
    const csv = await user.get('/api/v1/effects/rows?format=csv')
    expect(csv.text.split('\r\n')).toHaveLength(3)
    // A spreadsheet takes it for text, not for a formula.
    expect(csv.text).toContain(",'=one,")
    expect((await user.get('/api/v1/effects/rows?format=xml')).status).toBe(422)
    expect((await user.get('/api/v1/effects?days=0')).status).toBe(422)
    const stranger = await t.user()
    expect((await stranger.get('/api/v1/effects/rows')).body).toEqual([])
    expect((await t.anonymous().get('/api/v1/effects/rows')).status).toBe(401)
  })

  test('a team sees sums about its own cards, and only while one belongs to it', async () => {
    const { admin, editor, viewer, workspaceId } = await team(t)
    const [shared, own] = [word(), word()]
    const card = await record(admin, known(shared, { workspace_id: workspaceId }))
    await admin.post(`/api/v1/cards/${card.card_id}/share`)
    await record(viewer, known(own))
    expect((await recall(viewer, shared, 'one')).silent).toBe(false)
    expect((await recall(viewer, own, 'one')).silent).toBe(false)
    const url = `?workspace_id=${workspaceId}`
    const seen = await effects(editor, url)
    expect(seen).toMatchObject({ people: 3, answered: { count: 1, of: 1 }, opened: { count: 0, of: 1 } })
    expect(JSON.stringify(seen)).not.toContain(viewer.userId)
    expect(await effects(editor)).toMatchObject({ answered: { count: 0, of: 0 } })
    const newcomer = await t.user()
    const theirs = word()
    const brought = await record(newcomer, known(theirs))
    expect((await recall(newcomer, theirs, 'before')).silent).toBe(false)
    t.later(1000)
    await admin.post(`/api/v1/workspaces/${workspaceId}/members`, {
      user_id: newcomer.userId,
      role: 'editor',
    })
    await newcomer.post(`/api/v1/cards/${brought.card_id}/share`, { workspace_id: workspaceId })
    await newcomer.post(`/api/v1/cards/${brought.card_id}/verdicts`, { outcome: 'worked' })
    expect(await effects(editor, url)).toMatchObject({
      people: 4,
      answered: { count: 1, of: 1 },
      opened: { of: 1 },
      judged: { count: 0, of: 1 },
    })
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${newcomer.userId}`)
    const stranger = await t.user()
    expect((await stranger.get(`/api/v1/effects${url}`)).status).toBe(404)
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${viewer.userId}`)
    expect(await effects(admin, url)).toMatchObject({ people: 2, answered: { count: 0, of: 0 } })
  })

  test('an error that came back after a card was delivered took fewer attempts', async () => {
    const user = await t.user()
    const name = word()
    const output = `Error: Cannot find module '${name}-client'`
    const turn = (sessionId: string, failures: number) =>
      user.post('/api/v1/project-context/turns', {
        project_key: 'acme/shop',
        user_message: `Go on with ${sessionId}.`,
        agent_report: 'Done.',
        session_id: sessionId,
        meta: {
          activity: {
            commands: [
              ...[...Array(failures)].map(() => ({ command: 'npm test', exit_code: 1, output })),
              { command: 'npm test', exit_code: 0, output: '12 passed' },
            ],
            files: ['package.json'],
            tests: [],
            environment: {},
          },
        },
      })
    const overcome = async () =>
      (
        await t.app.services.database.read
          .selectFrom('recoveries')
          .select('recovery_id')
          .where('user_id', '=', user.userId)
          .execute()
      ).length
    await turn('first', 3)
    await expect.poll(overcome).toBe(1)
    await record(user, known(name))
    expect((await recall(user, name, 'second')).silent).toBe(false)
    await turn('second', 1)
    await expect.poll(overcome).toBe(2)
    expect((await effects(user)).avoided).toEqual({ count: 1, of: 1 })
  })

  test('day by day: deliveries and verdicts, of a team those of its members on its cards', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const name = word()
    const { card_id } = await record(editor, known(name, { workspace_id: workspaceId }))
    await editor.post(`/api/v1/cards/${card_id}/share`)
    await record(viewer, known(word()))
    await recall(viewer, name, 'days')
    await viewer.post(`/api/v1/cards/${card_id}/verdicts`, { outcome: 'worked' })
    await admin.post(`/api/v1/cards/${card_id}/verdicts`, { outcome: 'stale' })
    const days = async (user: Person, query: string) => {
      const answer = await user.get(`/api/v1/effects/days${query}`)
      expect(answer.status, answer.text).toBe(200)
      return answer.body.days
    }
    const today = contextFor(t.app.services).now().toISOString().slice(0, 10)
    const ofTeam = await days(editor, `?workspace_id=${workspaceId}&days=14`)
    expect(ofTeam).toHaveLength(14)
    expect(ofTeam.at(-1)).toEqual({ day: today, delivered: 1, worked: 1, failed: 1 })
    expect(ofTeam.slice(0, -1).every((day: { delivered: number }) => day.delivered === 0)).toBe(true)
    expect((await days(viewer, '')).at(-1)).toMatchObject({ delivered: 1, worked: 1, failed: 0 })
    expect((await days(editor, '')).at(-1)).toMatchObject({ delivered: 0, worked: 0, failed: 0 })
    for (const query of ['?days=6', '?days=366', '?days=x'])
      expect((await viewer.get(`/api/v1/effects/days${query}`)).status, query).toBe(422)
    const stranger = await t.user()
    expect((await stranger.get(`/api/v1/effects/days?workspace_id=${workspaceId}`)).status).toBe(404)
  })
})
