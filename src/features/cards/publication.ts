import { contentHash } from '../../core/content-hash.ts'
import type { Ctx } from '../../core/context.ts'
import { conflict, invalid } from '../../core/errors.ts'
import { LICENCE_TEXTS, type Licence, mustStay } from '../../core/licences.ts'
import { type CardContent, contentOf } from './content.ts'
import { storedOrigin } from './origin.ts'
import type { PublicationAnswer } from './publication-schema.ts'
import type { CardRow } from './select.ts'

type PublishedRow = Pick<
  CardRow,
  'content_hash' | 'licence' | 'version_published_at' | 'owner_name' | 'origin'
>

/** The person to credit: the one who wrote the card, even if somebody else passes it on. */
export const authorOf = (row: Pick<PublishedRow, 'owner_name' | 'origin'>): string =>
  storedOrigin(row)?.author ?? row.owner_name

export function presentPublication(row: PublishedRow): PublicationAnswer | null {
  const { content_hash, licence, version_published_at } = row
  if (content_hash === null || version_published_at === null) return null
  return {
    content_hash,
    author: authorOf(row),
    published_at: version_published_at,
    licence,
    licence_url: licence && LICENCE_TEXTS[licence],
  }
}

/** Columns of a card whose current version is published now. A version that already has a licence keeps its time. */
export const publishedColumns = (row: CardRow, now: string) => ({
  content_hash: contentHash(contentOf(row)),
  version_published_at: row.licence === null ? now : (row.version_published_at ?? now),
})

/** The hash of a pulled text says whether somebody here has changed it, so it follows each edit. */
function hashOfDraft(row: CardRow, after: CardContent, isChanged: boolean): string | null {
  if (row.origin !== null) return contentHash(after)
  return isChanged ? null : row.content_hash
}

/**
 * Columns of the version that an edit makes. It keeps the licence where strangers read it at once; what is written for
 * a private team, or in a draft, has none until it is published.
 */
export const editedColumns = (row: CardRow, after: CardContent, isChanged: boolean, now: string) =>
  row.status === 'published'
    ? {
        content_hash: contentHash(after),
        version_published_at: now,
        licence: row.workspace_visibility === 'private' ? null : row.licence,
      }
    : { content_hash: hashOfDraft(row, after, isChanged), version_published_at: null, licence: null }

const fixed = (licence: Licence, detail: string) => conflict('licence_fixed', detail, { licence })

/** The licence of this version. A card gets one only where strangers can read it. */
export function licenceFor(
  ctx: Ctx,
  row: CardRow,
  visibility: 'private' | 'unlisted' | 'public',
  wanted: Licence | undefined,
): Licence | null {
  if (visibility === 'private') {
    if (wanted === undefined) return row.licence
    throw invalid(
      'licence',
      'A card has a licence only where everybody can read it, not in a private workspace',
    )
  }
  if (row.licence !== null) {
    if (wanted === undefined || wanted === row.licence) return row.licence
    throw fixed(
      row.licence,
      `Version ${row.version} was published under ${row.licence}. This cannot be taken back. Unpublish the card and change it: the next version may have another licence.`,
    )
  }
  const origin = storedOrigin(row)
  if (origin !== null && mustStay(origin.licence)) {
    if (wanted === undefined || wanted === origin.licence) return origin.licence
    throw fixed(
      origin.licence,
      `${origin.author} published this text under ${origin.licence}. You can publish it only under that licence.`,
    )
  }
  return wanted ?? ctx.config.libraryLicence
}
