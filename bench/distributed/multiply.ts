import { BLOCK_DOCUMENTS, blockOf, firstOf, runOf, tierOf } from '../../src/search-index/postings.ts'
import { run } from '../../test/support/cluster.ts'

/** Keeps the beginning of an id, which is its time, and takes the end from the old id and the number of the copy. */
const copyOf = (id: string, copy: number) => `left(${id}, 24) || left(md5(${id} || ${copy}), 12)`

/** Rows of a table once more. What differs in the copy is given by column. */
async function copyRows(
  url: string,
  table: string,
  where: string,
  changed: Record<string, string>,
): Promise<void> {
  const { rows } = await run(
    url,
    `select column_name as name from information_schema.columns where table_name = '${table}' order by ordinal_position`,
  )
  const names = rows.map(({ name }) => name as string)
  await run(
    url,
    // Nothing of a copy can point to what is not there, and looking takes half of the time.
    'set session_replication_role = replica',
    `insert into ${table} (${names.join(', ')}) overriding system value
     select ${names.map((name) => changed[name] ?? name).join(', ')} from ${table} where ${where}`,
  )
}

/**
 * Makes a vault hold each card so many times, by statements of the database: to send millions of cards through the product
 * takes hours. Lists of the index hold offsets within their run, so a copied run has the copies of its cards.
 */
export async function multiplyCards(url: string, times: number): Promise<void> {
  const { rows } = await run(
    url,
    'select max(doc_no) as last, (select count(*)::int from search_fresh) as fresh from search_docs',
  )
  const { last, fresh } = rows[0]
  if (fresh > 0) throw new Error(`${fresh} cards are in no list yet`)
  const runs = (await run(url, 'select run from search_runs')).rows.map((row) => row.run as number)
  const isOld = `card_id in (select card_id from search_docs where doc_no <= ${last})`
  for (let copy = 1; copy < times; copy++) {
    const documents = copy * (blockOf(last) + 1) * BLOCK_DOCUMENTS
    const card_id = copyOf('card_id', copy)
    for (const table of ['cards', 'card_tags']) await copyRows(url, table, isOld, { card_id })
    const doc_no = `doc_no + ${documents}`
    await copyRows(url, 'search_docs', `doc_no <= ${last}`, { card_id, doc_no })
    for (const old of runs) {
      const moved = { run: String(runOf(firstOf(old) + documents, tierOf(old))) }
      for (const table of ['search_postings', 'search_runs'])
        await copyRows(url, table, `run = ${old}`, moved)
    }
    process.stderr.write(`copy ${copy + 1} of ${times} of the cards\n`)
  }
  await run(
    url,
    `update search_words set cards = cards * ${times}, public_cards = public_cards * ${times}`,
    `update search_totals set cards = cards * ${times}, length = length * ${times},
       public_cards = public_cards * ${times}, public_length = public_length * ${times}`,
    `select setval(pg_get_serial_sequence('search_docs', 'doc_no'), (select max(doc_no) from search_docs))`,
  )
}
