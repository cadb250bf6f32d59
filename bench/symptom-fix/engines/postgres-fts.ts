import pg from 'pg'
import { startPostgres } from '../../../test/support/postgres.ts'
import type { Card } from '../data.ts'
import type { Engine } from '../score.ts'

/** PostgreSQL's own full text search: English dictionary, title and symptom weighted, all words ORed, ts_rank. */
export async function postgresFts(cards: readonly Card[]): Promise<Engine> {
  const server = await startPostgres()
  const client = new pg.Client({ connectionString: server.url() })
  await client.connect()
  await client.query(`create table symptom_fix_cards (id text primary key, words tsvector)`)
  for (const card of cards)
    await client.query(
      `insert into symptom_fix_cards values ($1, setweight(to_tsvector('english', $2), 'A')
        || setweight(to_tsvector('english', $3), 'B') || to_tsvector('english', $4))`,
      [card.id, card.title, card.symptom, [card.root_cause, card.fix, card.tags.join(' ')].join('\n')],
    )
  const search = async (query: string) => {
    const { rows } = await client.query<{ id: string; score: number }>(
      `with asked as (
         select to_tsquery('simple', string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')) as words
         from unnest(tsvector_to_array(to_tsvector('english', $1))) as lexeme)
       select id, ts_rank(symptom_fix_cards.words, asked.words, 1) as score
       from symptom_fix_cards, asked where symptom_fix_cards.words @@ asked.words
       order by score desc, id limit 50`,
      [query.replaceAll('\0', ' ')],
    )
    return rows
  }
  const close = async () => {
    await client.end()
    await server.destroy()
  }
  return { name: 'PostgreSQL full text, words ORed, ts_rank', search, close }
}
