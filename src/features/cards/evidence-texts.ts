import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'

/**
 * Which parts of a card's evidence are searched and quoted. A log may be long, and what matters is at its beginning or
 * end: of a piece longer than twice `END_CHARACTERS`, only these two parts are taken.
 */
export const SEARCHED_PIECES = 20
const END_CHARACTERS = 5000
const LONGEST_WHOLE = 2 * END_CHARACTERS

type Piece = { card_id: string; beginning: string; ending: string }

/** The searched parts of pieces that are not stored yet, as the database cuts them: by characters. */
export const searchedParts = (contents: readonly string[]): string[] =>
  contents.flatMap((content) => {
    if (content.length <= LONGEST_WHOLE) return [content]
    const characters = [...content]
    if (characters.length <= LONGEST_WHOLE) return [content]
    return [characters.slice(0, END_CHARACTERS).join(''), characters.slice(-END_CHARACTERS).join('')]
  })

/** The searched texts of the evidence of some cards, by card and in order. Cards without evidence are left out. */
export async function evidenceTexts(
  db: Db,
  cards: readonly { card_id: string; evidence_count: number }[],
): Promise<Map<string, string[]>> {
  const texts = new Map<string, string[]>()
  const ids = cards.filter((card) => card.evidence_count > 0).map((card) => card.card_id)
  if (ids.length === 0) return texts
  // Cut in the database, so that a log of megabytes never travels.
  const { rows } = await sql<Piece>`select card_id,
      case when length(content) <= ${sql.lit(LONGEST_WHOLE)} then content
        else substr(content, 1, ${sql.lit(END_CHARACTERS)}) end as beginning,
      case when length(content) <= ${sql.lit(LONGEST_WHOLE)} then ''
        else substr(content, length(content) - ${sql.lit(END_CHARACTERS - 1)}) end as ending
    from card_evidences where card_id in (${sql.join(ids)}) and position < ${sql.lit(SEARCHED_PIECES)}
    order by card_id, position`.execute(db)
  for (const { card_id, beginning, ending } of rows) {
    const pieces = ending === '' ? [beginning] : [beginning, ending]
    texts.set(card_id, [...(texts.get(card_id) ?? []), ...pieces])
  }
  return texts
}
