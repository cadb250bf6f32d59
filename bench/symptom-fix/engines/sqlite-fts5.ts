import { DatabaseSync } from 'node:sqlite'
import type { Card } from '../data.ts'
import type { Engine } from '../score.ts'
import { wordsOf } from './words.ts'

/** SQLite's own full text index: Porter stems, all words ORed, its bm25 with the title twice. */
export function sqliteFts5(cards: readonly Card[]): Engine {
  const db = new DatabaseSync(':memory:')
  db.exec(`create virtual table cards using fts5(id unindexed, title, symptom, root_cause, fix, tags,
    tokenize='porter unicode61')`)
  const insert = db.prepare('insert into cards values (?, ?, ?, ?, ?, ?)')
  for (const card of cards)
    insert.run(card.id, card.title, card.symptom, card.root_cause, card.fix, card.tags.join(' '))
  const select = db.prepare(`select id, -bm25(cards, 0, 2, 1, 1, 1, 1) as score from cards
    where cards match ? order by rank limit 50`)
  const search = (query: string) => {
    const words = [...new Set(wordsOf(query))].map((word) => `"${word}"`)
    if (words.length === 0) return []
    const rows = select.all(words.join(' OR ')) as { id: string; score: number }[]
    return rows.map(({ id, score }) => ({ id, score })).sort((a, b) => b.score - a.score)
  }
  return { name: 'SQLite FTS5, words ORed, bm25', search, close: async () => db.close() }
}
