import { beforeAll, expect, test } from 'vitest'
import { goodCard, type Person, record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

type Result = { title: string; weak: boolean }

const CARDS: readonly [string, string][] = [
  [
    'The pool is exhausted after lunch',
    'The API answers 500 with OperationalError until it is started again.',
  ],
  ['psycopg2 needs pg_config to install', 'pip wants to build psycopg2 from source and does not find it.'],
  ['Basket without a price', 'NullPointerException because the catalog answers nothing for such goods.'],
  ['The indexer dies with the full dump', 'All files together end with bad_alloc, a few of them are fine.'],
  ['Backups of the shop grow', 'The system fills the net volume of the backups each night.'],
  ['Slow downloads of the java agents', 'The mirror of the java agents answers after a minute.'],
]

onBothEngines('qualified names', (t) => {
  let reader: Person
  const hitsOf = async (query: string) => {
    const { body } = await reader.post('/api/v1/search', { query })
    return (body as { results: Result[] }).results.filter(({ weak }) => !weak).map(({ title }) => title)
  }

  beforeAll(async () => {
    reader = await t.user('reader')
    for (const [title, symptom] of CARDS) await record(reader, { ...goodCard(), title, symptom })
  })

  test('a name finds the card that writes it without its package', async () => {
    for (const [query, title] of [
      ['sqlalchemy.exc.OperationalError', 'The pool is exhausted after lunch'],
      ['django.db.utils.OperationalError', 'The pool is exhausted after lunch'],
      ['java.lang.NullPointerException', 'Basket without a price'],
      ['std::bad_alloc', 'The indexer dies with the full dump'],
    ] as const)
      expect((await hitsOf(query))[0], query).toBe(title)
  })

  test('a package alone makes no hit', async () => {
    for (const query of ['Net::ReadTimeout', 'java.lang.IllegalStateException'])
      expect(await hitsOf(query), query).toEqual([])
  })
})
