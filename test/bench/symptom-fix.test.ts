import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { areaUnderCurve } from '../../bench/lib/collections.ts'
import {
  FOLDER,
  KINDS,
  linesOf,
  readCards,
  readQueries,
  readUnanswerable,
  type WrittenQuery,
} from '../../bench/symptom-fix/data.ts'
import { makeQueries } from '../../bench/symptom-fix/make-queries.ts'
import { score, shareAbove } from '../../bench/symptom-fix/score.ts'

const cards = readCards()
const queries = readQueries()
const unanswerable = readUnanswerable()

const duplicatesIn = (texts: readonly string[]) => texts.filter((text, at) => texts.indexOf(text) !== at)
const folded = (text: string) => text.toLowerCase().replace(/\W+/g, ' ').trim()

describe('the symptom-fix benchmark', () => {
  test('has 20 topics of 20 cards, each with all its fields', () => {
    const topics = readdirSync(join(FOLDER, 'cards'))
    expect(topics).toHaveLength(20)
    for (const name of topics) {
      const topic = name.replace('.jsonl', '')
      const ids = linesOf<{ id: string }>(join('cards', name)).map(({ id }) => id)
      expect(ids).toEqual(Array.from({ length: 20 }, (_, i) => `${topic}-${String(i + 1).padStart(2, '0')}`))
    }
    for (const card of cards) {
      for (const text of [card.title, card.symptom, card.root_cause, card.fix])
        expect(text.length, card.id).toBeGreaterThan(7)
      expect(card.tags.length, card.id).toBeGreaterThan(0)
      for (const value of Object.values(card.environment)) expect(value, card.id).toEqual(expect.any(String))
    }
  })

  test('says nothing twice', () => {
    expect(duplicatesIn(cards.map(({ title }) => folded(title)))).toEqual([])
    expect(duplicatesIn(cards.map(({ symptom }) => folded(symptom)))).toEqual([])
    expect(duplicatesIn(queries.map(({ id }) => id))).toEqual([])
    expect(duplicatesIn(queries.map(({ text }) => folded(text)))).toEqual([])
    expect(duplicatesIn([...unanswerable, ...queries].map(({ text }) => folded(text)))).toEqual([])
  })

  test('asks 160 queries of each kind, each answered by a card, and for every card', () => {
    const ids = new Set(cards.map(({ id }) => id))
    for (const kind of KINDS) expect(queries.filter((query) => query.kind === kind)).toHaveLength(160)
    expect(queries).toHaveLength(800)
    for (const { id, answer } of queries) expect(ids.has(answer), id).toBe(true)
    expect(cards.filter(({ id }) => !queries.some(({ answer }) => answer === id))).toEqual([])
    expect(unanswerable).toHaveLength(200)
  })

  test('has the queries that its script makes', () => {
    expect(makeQueries(linesOf<WrittenQuery>('written.jsonl'))).toEqual(queries)
  })

  test('is in the public domain, and keeps its peers to itself', () => {
    expect(readFileSync(join(FOLDER, 'LICENSE'), 'utf8')).toMatch(/^CC0 1\.0 Universal/)
    const own = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8'))
    const product = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(own).toMatchObject({ private: true })
    for (const name of Object.keys(own.dependencies))
      expect({ ...product.dependencies, ...product.devDependencies }).not.toHaveProperty(name)
    expect(existsSync(join(FOLDER, 'package-lock.json'))).toBe(true)
  })
})

describe('its scorer', () => {
  const query = (text: string) => ({ id: text, kind: 'title' as const, text, answer: 'a' })

  test('counts ranks, and silence where nothing answers', () => {
    const figures = score(
      [
        { query: query('first'), answer: [{ id: 'a', score: 3 }] },
        { query: query('third'), answer: ['b', 'c', 'a'].map((id) => ({ id, score: 2 })) },
        { query: query('never'), answer: [] },
      ],
      [
        { query: { id: 'n1', text: 'silent' }, answer: [] },
        { query: { id: 'n3', text: 'hesitates' }, answer: [{ id: 'b', score: 0.1, weak: true }] },
        { query: { id: 'n2', text: 'talks' }, answer: [{ id: 'b', score: 2.5 }] },
      ],
    )
    expect(figures.ndcg.title).toBeCloseTo((1 + 0.5 + 0) / 3)
    expect(figures.first).toBeCloseTo(1 / 3)
    expect(figures.talks).toBeCloseTo(1 / 3)
    expect(figures.talksAt95).toBe(0)
  })

  test('distinguishes scores', () => {
    expect(areaUnderCurve([2, 3], [0, 1])).toBe(1)
    expect(areaUnderCurve([1, 1], [1, 1])).toBe(0.5)
    expect(shareAbove([9, 8, 7, 1], [2, 8], 0.75)).toBe(0.5)
    expect(shareAbove([9, 8, 7, 1], [2, 8], 1)).toBe(1)
  })
})
