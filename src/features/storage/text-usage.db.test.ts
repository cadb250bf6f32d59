import fc from 'fast-check'
import { expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { DAY_MS } from '../../shared/time.ts'
import { purgeDeletedCards } from '../cards/delete.ts'
import { reindexRescanned } from '../memory/store.ts'
import { rescan, rescanSource } from '../rescan/rescan.ts'
import { recountText, textUsageOf } from './text-usage.ts'

const MIB = 1024 * 1024
const EVENTS = '/api/v1/project-context/events'
const MATERIALS = '/api/v1/raw-materials'

/** The counters must say what the rows say, of everybody. */
async function expectCounted(t: TestVault, after: string): Promise<void> {
  const { read } = t.app.services.database
  const rows = await read.selectFrom('text_usage').selectAll().execute()
  const counted = rows.map(({ user_id, ...usage }) => [user_id, usage] as const)
  const isUsed = ([, { bytes, deleted_bytes }]: (typeof counted)[number]) =>
    bytes !== 0 || deleted_bytes !== 0
  const sorted = (all: (typeof counted)[number][]) => all.filter(isUsed).sort(([a], [b]) => (a < b ? -1 : 1))
  expect(sorted(counted), after).toEqual(sorted([...(await recountText(read))]))
}

const usedBy = async (t: TestVault, { userId }: Person) =>
  (await textUsageOf(t.app.services.database.read, userId)).bytes

onBothEngines(
  'the counters of text',
  (t) => {
    const WORDS = ['plain words', 'Überprüfung mit Umlauten', '数据库连接池', '🙂 and 𝒳', '"quoted"\\n\ttabs']

    /** What people do, by name. An answer of 4xx is part of life; 5xx is not. */
    async function playground() {
      const { workspaceId, admin, editor, viewer } = await team(t)
      const people = [admin, editor, viewer]
      const cards: string[] = []
      const deleted: string[] = []
      const judged: string[] = []
      const comments: [string, string][] = []
      const events: string[] = []
      const materials: string[] = []
      let turn = 0
      const pick = <T>(of: T[], n: number): T | undefined => of[n % Math.max(of.length, 1)]
      const text = (n: number) => `${pick(WORDS, n)} ${n} `.repeat(1 + (n % 40))
      const card = (n: number) => `/api/v1/cards/${pick(cards, n)}`
      const steps: Record<
        string,
        (who: Person, n: number) => Promise<{ status: number; text: string } | undefined>
      > = {
        async record(who, n) {
          const evidences = Array.from({ length: n % 3 }, () => ({
            kind: 'log',
            content: text(n),
            meta: { n },
          }))
          const body = n % 2 ? text(n) : null
          const made = await who.post('/api/v1/cards', {
            ...goodCard(),
            body,
            evidences,
            workspace_id: workspaceId,
          })
          if (made.status !== 201) return made
          cards.push(made.body.card_id)
          return n % 3 ? who.post(`/api/v1/cards/${made.body.card_id}/share`) : made
        },
        edit: (who, n) =>
          who.patch(card(n), {
            root_cause: text(n),
            tags: ['a', text(n).slice(0, 20)],
            evidences: n % 2 ? [{ kind: 'log', content: text(n + 1) }] : [],
          }),
        restore: (who, n) => who.post(`${card(n)}/restore`, { version: 1 }),
        async delete(who, n) {
          const gone = await who.delete(card(n))
          if (gone.status === 204) deleted.push(card(n))
          return gone
        },
        undelete: (who, n) => who.post(`${pick(deleted, n) ?? card(n)}/undelete`),
        async comment(who, n) {
          const said = await who.post(`${card(n)}/comments`, { body: text(n).slice(0, 9000) })
          if (said.status === 201) comments.push([said.body.card_id, said.body.comment_id])
          return said
        },
        async editComment(who, n) {
          const [cardId, commentId] = pick(comments, n) ?? ['x', 'x']
          return who.patch(`/api/v1/cards/${cardId}/comments/${commentId}`, { body: text(n) })
        },
        async deleteComment(who, n) {
          const [cardId, commentId] = pick(comments, n) ?? ['x', 'x']
          return who.delete(`/api/v1/cards/${cardId}/comments/${commentId}`)
        },
        async verify(who, n) {
          const outcome = n % 2 ? 'worked' : 'failed'
          const given = await who.post(`${card(n)}/verdicts`, { outcome, evidence: text(n), note: text(n) })
          if (given.status === 201) judged.push(`/api/v1/cards/${given.body.card_id}`)
          return given
        },
        withdrawVerdicts: (who, n) => who.delete(`${pick(judged, n) ?? card(n)}/verdicts`),
        feedback: (who, n) =>
          who.post(`${card(n)}/feedback`, { kind: 'useful', comment: text(n).slice(0, 1900) }),
        async append(who, n) {
          const made = await who.post(EVENTS, {
            project_key: `p${n % 2}`,
            event_type: n % 3 ? 'agent_report' : 'summary',
            content: text(n),
            title: n % 2 ? text(n).slice(0, 100) : null,
            meta: { n, text: text(n).slice(0, 50) },
          })
          if (made.status === 201) events.push(made.body.raw_id)
          return made
        },
        sameTurn: async (who, n) => {
          const exchange = {
            project_key: 'p0',
            user_message: text(turn),
            agent_report: text(turn + 1),
            session_id: 's',
          }
          turn += n % 2
          return who.post('/api/v1/project-context/turns', {
            ...exchange,
            client: n % 3 ? 'hook' : 'agent',
            agent_report: n % 5 ? exchange.agent_report : `${exchange.agent_report} and more`,
          })
        },
        deleteEvent: (who, n) => who.delete(`${EVENTS}/${pick(events, n) ?? 'x'}`),
        deleteProject: (who, n) =>
          who.delete(`/api/v1/project-context/projects?project_key=p${n % 2}&confirmed_by_user=true`),
        async material(who, n) {
          const made = await who.post(MATERIALS, { content: text(n), tags: ['x'], workspace_id: workspaceId })
          if (made.status === 201) materials.push(made.body.raw_id)
          return made
        },
        deleteMaterial: (who, n) => who.delete(`${MATERIALS}/${pick(materials, n) ?? 'x'}`),
        draft: (who, n) =>
          who.post('/api/v1/drafts', {
            candidates: [
              { command: 'npm test', failure: `Error: cannot find module number${n}`, success: text(n) },
            ],
          }),
        async purge() {
          t.later(31 * DAY_MS)
          await purgeDeletedCards(contextFor(t.app.services))
          return undefined
        },
      }
      return { steps, people, workspaceId }
    }

    test('say what the rows say, whatever people do', async () => {
      const { steps, people } = await playground()
      const names = Object.keys(steps)
      const walk = fc.sample(
        fc.record({
          name: fc.constantFrom('record', 'delete', 'undelete', 'withdrawVerdicts', ...names),
          who: fc.nat(2),
          n: fc.nat(99),
        }),
        { numRuns: 120, seed: 52 },
      )
      const done = new Set<string>()
      for (const [at, { name, who, n }] of walk.entries()) {
        // A purge moves the clock beyond the end of sessions.
        if (name === 'purge') continue
        // Most cards belong to one of the three; the others are refused.
        for (const shift of [0, 1, 2]) {
          const answer = await steps[name]?.(people[(who + shift) % 3] as Person, n)
          expect(answer?.status ?? 200, `${name} ${answer?.text}`).toBeLessThan(500)
          if ((answer?.status ?? 200) >= 300) continue
          done.add(name)
          break
        }
        await expectCounted(t, `step ${at}: ${name} ${n}`)
      }
      expect([...done].sort()).toEqual(names.filter((name) => name !== 'purge').sort())
      await steps.purge?.(people[0] as Person, 0)
      await expectCounted(t, 'purge')
    })

    test('say so after clients at once, of one person and of several', async () => {
      const { steps, people } = await playground()
      for (let i = 0; i < 4; i++) await steps.record?.(people[0] as Person, 3 * i + 1)
      const together = [
        'record',
        'record',
        'append',
        'append',
        'material',
        'comment',
        'verify',
        'edit',
        'edit',
        'feedback',
      ]
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all(
          [
            ...together,
            ...(round > 0 ? ['delete', 'delete', 'undelete', 'deleteProject', 'deleteComment'] : []),
          ].map((name, i) => steps[name]?.(people[i % 2] as Person, i % 3)),
        )
        for (const answer of answers) expect(answer?.status ?? 200, answer?.text).toBeLessThan(500)
        await expectCounted(t, `round ${round}`)
      }
    })

    test('follow accounts, teams and new rules of redaction', async () => {
      const { steps, people, workspaceId } = await playground()
      const [admin, editor, viewer] = people as [Person, Person, Person]
      for (const name of ['record', 'record', 'comment', 'verify', 'feedback', 'append', 'material', 'draft'])
        for (const [n, who] of [admin, editor, viewer].entries()) await steps[name]?.(who, n)
      const secret = ['ghp', '_', 'a1B2c3D4e5'.repeat(4).slice(0, 36)].join('')
      const { database } = t.app.services
      await database.transaction(async (db) => {
        // As if written before the rules knew this kind; the counters are set accordingly.
        await db
          .updateTable('raw_materials')
          .set({ content: `key ${secret}` })
          .where('owner_id', '=', editor.userId)
          .execute()
        await db
          .updateTable('context_events')
          .set({ content: `key ${secret}` })
          .where('user_id', '=', editor.userId)
          .execute()
        await db
          .updateTable('card_comments')
          .set({ body: `key ${secret}` })
          .where('user_id', '=', editor.userId)
          .execute()
        for (const [user_id, usage] of await recountText(db))
          await db.updateTable('text_usage').set(usage).where('user_id', '=', user_id).execute()
      })
      const results = await rescan(
        database,
        [
          rescanSource('raw_materials'),
          rescanSource('context_events', reindexRescanned),
          rescanSource('card_comments'),
          rescanSource('card_drafts'),
        ],
        { dryRun: false },
      )
      expect(results.map(({ changed }) => changed > 0)).toEqual([true, true, true, false])
      await expectCounted(t, 'rescan')
      const left = await editor.post('/api/v1/auth/me/delete', {
        confirmed_by_user: true,
        password: 'correct horse battery',
      })
      expect(left.status, left.text).toBe(200)
      await expectCounted(t, 'account')
      const gone = await admin.delete(`/api/v1/workspaces/${workspaceId}?confirm_name=Team`)
      expect(gone.status, gone.text).toBe(200)
      await expectCounted(t, 'team')
    })

    test('charge an edit to the editor, and leave the owner what the owner wrote', async () => {
      const { workspaceId, editor, admin } = await team(t)
      const { card_id } = await record(editor, { workspace_id: workspaceId, body: 'b'.repeat(5000) })
      await editor.post(`/api/v1/cards/${card_id}/share`)
      const [before, of] = [await usedBy(t, editor), await usedBy(t, admin)]
      const evidences = [{ kind: 'log', content: 'e'.repeat(3000) }]
      expect(
        (await admin.patch(`/api/v1/cards/${card_id}`, { root_cause: 'Another', evidences })).status,
      ).toBe(200)
      const added = (await usedBy(t, admin)) - of
      expect(added).toBeGreaterThan(8000)
      expect(added).toBeLessThan(9000)
      // The former version is kept as JSON, which is a little longer.
      expect((await usedBy(t, editor)) - before).toBeLessThan(500)
      await expectCounted(t, 'edit')
    })
  },
  {},
)

onBothEngines(
  'the limit of text',
  (t) => {
    const material = (who: Person, bytes: number) => who.post(MATERIALS, { content: 'm'.repeat(bytes) })

    test('refuses what does not fit, with what is used, and takes it once something is deleted', async () => {
      const user = await t.user()
      const first = await material(user, 600_000)
      expect(first.status).toBe(201)
      const used = await usedBy(t, user)
      const refused = await material(user, 600_000)
      expect([refused.status, refused.body.code]).toEqual([413, 'storage_full'])
      expect(refused.body).toMatchObject({ used_bytes: used, limit_bytes: MIB })
      expect(refused.body.detail).toMatch(/^This does not fit: your texts take 0\.6 of 1 MiB\. Delete /)
      const content = 'e'.repeat(190_000)
      const full = [
        () =>
          user.post('/api/v1/cards', {
            ...goodCard(),
            evidences: Array.from({ length: 3 }, () => ({ kind: 'log', content })),
          }),
        () =>
          user.post('/api/v1/project-context/turns', {
            project_key: 'p',
            user_message: 'm',
            agent_report: 'r',
            facts: content,
            summary: content,
            project_preferences: content,
          }),
        () =>
          user.tool('record_card', {
            ...goodCard(),
            evidences: Array.from({ length: 3 }, () => ({ kind: 'log', content })),
          }),
      ]
      for (const write of full) {
        const answer = await write()
        expect([answer.status, answer.body.code], answer.text).toEqual([413, 'storage_full'])
      }
      expect(await usedBy(t, user)).toBe(used)
      expect((await user.get('/api/v1/user/settings')).body.text_storage).toEqual({
        used_bytes: used,
        deleted_bytes: 0,
        limit_bytes: MIB,
      })
      // Somebody else has their own.
      expect((await material(await t.user(), 600_000)).status).toBe(201)
      expect((await user.delete(`${MATERIALS}/${first.body.raw_id}`)).status).toBe(204)
      expect(await usedBy(t, user)).toBe(0)
      expect((await material(user, 600_000)).status).toBe(201)
      await expectCounted(t, 'limit')
    })

    test('holds for edits, comments and verdicts too, and an account that is full still reads and deletes', async () => {
      const user = await t.user()
      const { card_id } = await record(user, { body: 'b'.repeat(190_000) })
      const url = `/api/v1/cards/${card_id}`
      const answers: number[] = []
      for (let i = 0; i < 6; i++) answers.push((await user.patch(url, { root_cause: `Cause ${i}` })).status)
      expect(answers).toEqual([200, 200, 200, 200, 413, 413])
      expect((await user.get(url)).body.root_cause).toBe('Cause 3')
      await material(user, MIB - (await usedBy(t, user)) - 100)
      const note = 'n'.repeat(1000)
      const verdict = await user.post(`${url}/verdicts`, { outcome: 'worked', note })
      expect([verdict.status, verdict.body.code]).toEqual([413, 'storage_full'])
      const feedback = await user.post(`${url}/feedback`, { kind: 'useful', comment: note })
      expect([feedback.status, feedback.body.code]).toEqual([413, 'storage_full'])
      expect((await user.delete(url)).status).toBe(204)
      await expectCounted(t, 'edits')
    })

    test('holds for clients at once', async () => {
      const user = await t.user()
      const answers = await Promise.all(Array.from({ length: 6 }, () => material(user, 300_000)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 413, 413, 413])
      const cards = await t.user()
      const body = 'b'.repeat(190_000)
      const recorded = await Promise.all(
        Array.from({ length: 8 }, () => cards.post('/api/v1/cards', { ...goodCard(), body })),
      )
      expect(recorded.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 413, 413, 413])
      await expectCounted(t, 'at once')
    })

    test('deleting a card makes room at once; deleted cards have the same room once more until they are purged', async () => {
      const user = await t.user()
      const body = 'b'.repeat(195_000)
      const deleted: string[] = []
      for (let i = 0; i < 10; i++) {
        const made = await user.post('/api/v1/cards', { ...goodCard(), body })
        expect(made.status, made.text).toBe(201)
        deleted.push(made.body.card_id)
        expect((await user.delete(`/api/v1/cards/${made.body.card_id}`)).status).toBe(204)
        expect(await usedBy(t, user)).toBe(0)
      }
      const refused = await user.post('/api/v1/cards', { ...goodCard(), body })
      expect([refused.status, refused.body.code]).toEqual([413, 'storage_full'])
      expect(refused.body.detail).toContain(
        'Deleted cards take 1.9 MiB more until they are removed for good.',
      )
      const back = []
      for (const id of deleted.slice(0, 6))
        back.push((await user.post(`/api/v1/cards/${id}/undelete`)).status)
      expect(back).toEqual([200, 200, 200, 200, 200, 413])
      await expectCounted(t, 'undelete')
      t.later(31 * DAY_MS)
      await purgeDeletedCards(contextFor(t.app.services))
      await expectCounted(t, 'purge')
    })
  },
  { TEXT_MB_PER_PERSON: '1' },
)
