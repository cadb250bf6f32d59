import { z } from 'zod'
import { LicenceId } from '../../core/licence-id.ts'
import { AnswerId, Time } from '../../core/schemas.ts'
import { fromJson } from '../../db/columns.ts'

/** Where the text of a card was pulled from, who wrote it, and under which licence. */
export const Origin = z
  .object({
    server: z.string().describe('The server that its snapshot was pulled from'),
    card_id: AnswerId.describe('Its id on that server'),
    version: z.int(),
    url: z.string().describe('Its page on that server'),
    author: z.string().describe('The name to credit'),
    licence: LicenceId,
    content_hash: z.string(),
    published_at: Time,
    first_server: z.string().optional().describe('Where it was written, if that server had pulled it itself'),
    pulled_at: Time,
    changed_here: z.boolean().describe('Somebody here has edited it since'),
  })
  .meta({ id: 'CardOrigin' })

export type StoredOrigin = Omit<z.input<typeof Origin>, 'changed_here' | 'url'>

type OriginColumns = { origin: string | null; content_hash: string | null }

export const storedOrigin = (row: { origin: string | null }): StoredOrigin | null =>
  row.origin === null ? null : fromJson<StoredOrigin>(row.origin)

/**
 * Scheme and host alone. Doors tell them to agents in sentences of our own, outside the marks of data, and a path could
 * be a sentence.
 */
export const hostOfOrigin = (row: { origin: string | null }): string | undefined => {
  const origin = storedOrigin(row)
  return origin === null ? undefined : new URL(origin.server).origin
}

export function presentOrigin(row: OriginColumns): z.input<typeof Origin> | null {
  const origin = storedOrigin(row)
  if (origin === null) return null
  return {
    ...origin,
    url: `${origin.server}/library/${origin.card_id}`,
    changed_here: row.content_hash !== origin.content_hash,
  }
}

/** The server and the card's id there as one text. The next pull finds the card by it. */
export const originKey = (server: string, cardId: string): string => `${server} ${cardId}`
