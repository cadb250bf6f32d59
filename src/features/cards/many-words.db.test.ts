import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { type Ctx, contextFor } from '../../core/context.ts'
import { documentsNamedBy, foldChanges, strayEntries, wronglyIndexed } from '../../search-index/index.ts'
import { wordHash } from '../../text/term-hash.ts'
import { indexableCards, wordsOnly } from './card-index.ts'

/** Words that no other text has, so that each is one term. */
const words = (count: number, mark: string) =>
  Array.from({ length: count }, (_, i) => `${mark}${i.toString(36)}q`).join(' ')

onBothEngines('cards of many words', (t) => {
  afterEach(() => vi.restoreAllMocks())

  const finds = async (user: Person, query: string, scope = 'personal') =>
    (await user.post('/api/v1/search', { query, scope })).body.results.map(
      (card: { card_id: string }) => card.card_id,
    )
  /** Which of these words the index has of a card. A search for one word alone shows no card of thousands. */
  async function indexed(cardId: string, words: readonly string[]): Promise<string[]> {
    const ids = sql<{ card_id: string }>`select card_id from cards where card_id = ${cardId}`
    const [entry] = await documentsNamedBy(contextFor(t.app.services), ids, 1)
    return words.filter((word) => entry?.hashes.includes(wordHash(word)))
  }
  const lists = async (user: Person, contains: string) =>
    (await user.get(`/api/v1/cards?scope=personal&contains=${contains}`)).body.items.map(
      (card: { card_id: string }) => card.card_id,
    )

  test('words that were left out are named by every door, and the text filter finds them', async () => {
    const user = await t.user()
    const card = {
      ...goodCard(`manywords${t.engine}`),
      symptom: `It fails. ${words(3000, 'symptom')}`,
      root_cause: words(3000, 'cause'),
      body: words(9000, 'body'),
      evidences: [{ kind: 'log', content: words(500, 'log') }],
    }
    const { card_id, search_note } = await record(user, card)
    expect(search_note).toMatch(/Search does not find some words/)
    const first = ['symptom0q', 'symptom2b1q', 'cause2b1q', 'body1q']
    const leftOut = ['body6xpq', 'log7q']
    expect(await indexed(card_id, [...first, ...leftOut])).toEqual(first)
    for (const word of leftOut) {
      expect(await lists(user, word)).toEqual([card_id])
      expect(await lists(user, word.toUpperCase())).toEqual([card_id])
    }
    const tool = await user.tool('record_card', { ...card, title: 'By a tool' })
    expect(JSON.stringify(tool.body)).toContain('Search does not find some words')
    const mcp = await user.post(
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'update_card', arguments: { card_id, tags: ['changed'] } },
      },
      { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    )
    expect(mcp.text).toContain('Search does not find some words')
    expect(await lists(user, 'log7q')).toContain(card_id)

    const patched = await user.patch(`/api/v1/cards/${card_id}`, { root_cause: null, body: 'Short again' })
    expect(patched.body).not.toHaveProperty('search_note')
    expect(await indexed(card_id, leftOut)).toEqual(['log7q'])
    expect(await lists(user, 'body6xpq')).not.toContain(card_id)
    expect(await record(user)).not.toHaveProperty('search_note')
  })

  /** The characters that are analysed inside transactions. */
  function watchAnalysis(): () => number {
    const { database } = t.app.services
    const { transaction } = database
    const inside = new AsyncLocalStorage<true>()
    let characters = 0
    vi.spyOn(database, 'transaction').mockImplementation((fn, options) =>
      transaction((db) => inside.run(true, () => fn(db)), options),
    )
    const { write } = Buffer.prototype
    vi.spyOn(Buffer.prototype, 'write').mockImplementation(function (this: Buffer, ...given: unknown[]) {
      if (inside.getStore() && given[1] === 'utf16le') characters += String(given[0]).length
      return Reflect.apply(write, this, given)
    })
    return () => characters
  }

  test('no writer waits until the words of a card are counted', async () => {
    const { workspaceId, editor } = await team(t)
    const other = await record(editor, { title: 'Another card' })
    const analysed = watchAnalysis()
    const long = (mark: string) => ({
      ...goodCard(),
      body: `${words(2000, mark)} é漢字 `.repeat(3),
      steps: [{ order: 1, action: 'Do it', result: '' }],
      environment: { node: '24.1', os: 'linux' },
      evidences: [
        { kind: 'log', content: '🚀 a log\n'.repeat(3000) },
        { kind: 'log', content: words(300, mark) },
      ],
    })
    const card = await record(editor, { ...long('one'), workspace_id: workspaceId })
    const keyed = await editor.post('/api/v1/cards', long('two'), { 'idempotency-key': crypto.randomUUID() })
    expect(keyed.status).toBe(201)
    const path = `/api/v1/cards/${card.card_id}`
    const done = async (answer: Promise<{ status: number; text: string }>) => {
      const { status, text } = await answer
      expect(status, text).toBeLessThan(300)
    }
    await done(
      editor.patch(path, { body: words(3000, 'three'), evidences: [{ kind: 'log', content: 'more' }] }),
    )
    await done(editor.post(`${path}/share`))
    await done(editor.post(`${path}/unpublish`))
    await done(editor.post(`${path}/restore`, { version: 1 }))
    await done(editor.delete(path))
    await done(editor.post(`${path}/undelete`))
    await done(editor.post(`/api/v1/cards/${other.card_id}/move`, { workspace_id: workspaceId }))
    expect(analysed()).toBe(0)
  })

  /** How many cards have a word, by the counts that every search uses. */
  async function countsOf(ctx: Ctx, word: string) {
    const row = await ctx.db
      .selectFrom('search_words')
      .select(['word', 'cards', 'public_cards'])
      .where('hash', '=', wordHash(word))
      .executeTakeFirst()
    return row && [row.word, row.cards, row.public_cards]
  }

  test('the words of a card are counted right when only its readers change', async () => {
    const ctx = contextFor(t.app.services)
    const user = await t.user()
    const word = `onlyherevisible${t.engine}q1z`
    const card = await record(user, { body: `It is the ${word}` })
    const path = `/api/v1/cards/${card.card_id}`
    const count = async () => {
      await foldChanges(ctx)
      const { cards, countedCards } = await strayEntries(ctx)
      expect(countedCards).toBe(cards)
      return countsOf(ctx, word)
    }
    expect(await count()).toEqual([word, 1, 0])
    expect((await user.post(`${path}/publish`)).status).toBe(200)
    expect(await finds(await t.user(), word, 'public')).toEqual([card.card_id])
    expect(await count()).toEqual([word, 1, 1])
    expect(await finds(await t.user(), word, 'public')).toEqual([card.card_id])
    expect((await user.post(`${path}/unpublish`)).status).toBe(200)
    expect(await finds(await t.user(), word, 'public')).toEqual([])
    // Both changes are counted together.
    expect((await user.post(`${path}/publish`)).status).toBe(200)
    expect((await user.post(`${path}/unpublish`)).status).toBe(200)
    expect(await count()).toEqual([word, 1, 0])
    const all = (await indexableCards(ctx, '', 1000)).filter((one) => one.card_id === card.card_id)
    expect(await wronglyIndexed(ctx, await Promise.all(all.map(wordsOnly)))).toEqual([])
    expect((await user.delete(path)).status).toBe(204)
    expect(await count()).toBeUndefined()
  })

  test('a card of very many words is counted in parts', async () => {
    const ctx = contextFor(t.app.services)
    await foldChanges(ctx)
    const user = await t.user()
    const before = await strayEntries(ctx)
    const card = await record(user, {
      symptom: words(3000, 'partofalongword'),
      fix_summary: words(900, 'fixed'),
      body: words(4000, 'bodyofalongword'),
    })
    await foldChanges(ctx)
    for (const word of ['partofalongword0q', 'partofalongword2bbq', 'fixedozq', 'bodyofalongword333q'])
      expect(await countsOf(ctx, word)).toEqual([word, 1, 0])
    expect(await strayEntries(ctx)).toMatchObject({
      cards: before.cards + 1,
      countedCards: before.cards + 1,
    })
    expect(await indexed(card.card_id, ['partofalongword2bbq', 'fixedozq'])).toEqual([
      'partofalongword2bbq',
      'fixedozq',
    ])
    await user.patch(`/api/v1/cards/${card.card_id}`, { symptom: words(1000, 'partofalongword') })
    await foldChanges(ctx)
    expect(await countsOf(ctx, 'partofalongword0q')).toEqual(['partofalongword0q', 1, 0])
    expect(await countsOf(ctx, 'partofalongword2bbq')).toBeUndefined()
    await user.delete(`/api/v1/cards/${card.card_id}`)
    await foldChanges(ctx)
    for (const word of ['partofalongword0q', 'fixedozq']) expect(await countsOf(ctx, word)).toBeUndefined()
  })

  test('a search costs about the same beside a few cards of very many words', async () => {
    const { workspaceId, editor, viewer } = await team(t)
    const usual = await record(editor, { workspace_id: workspaceId, title: 'The scheduler stalls' })
    expect((await editor.post(`/api/v1/cards/${usual.card_id}/share`)).status).toBe(200)
    await foldChanges(contextFor(t.app.services))
    let slip = 0
    const cpuOfSearches = async () => {
      const before = process.threadCpuUsage()
      for (let i = 0; i < 10; i++) {
        const query = `scheduelr ${slip++}wrongwrod`
        const { body } = await viewer.post('/api/v1/search', { query, scope: 'workspace' })
        expect(body.results[0]?.card_id).toBe(usual.card_id)
      }
      const { user, system } = process.threadCpuUsage(before)
      return user + system
    }
    await cpuOfSearches()
    const without = Math.max(await cpuOfSearches(), await cpuOfSearches())
    for (const mark of ['xa', 'xb', 'xc']) {
      const symptom = words(20_000, mark)
      const card = await record(editor, {
        workspace_id: workspaceId,
        symptom,
        fix_summary: words(20_000, `y${mark}`),
      })
      expect((await editor.post(`/api/v1/cards/${card.card_id}/share`)).status).toBe(200)
    }
    await foldChanges(contextFor(t.app.services))
    await cpuOfSearches()
    expect(Math.min(await cpuOfSearches(), await cpuOfSearches())).toBeLessThan(4 * without)
  })
})
