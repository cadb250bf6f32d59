import type { Card } from '../../api/types.ts'
import { formatTime } from '../../lib/format.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { CardPart } from './card-part.tsx'

const LINK = 'underline hover:text-ink'

/** What others may do with the text, whom to credit, where it comes from, and by what it can be checked. */
export function LicenceAndOrigin({ card }: { card: Card }) {
  const { publication, origin } = card
  if (!publication?.licence && !origin) return null
  const licence = publication?.licence ?? origin?.licence
  return (
    <CardPart title="Licence and origin">
      <p className="text-sm text-soft wrap-break-word">
        {publication?.licence_url ? (
          <a href={publication.licence_url} target="_blank" rel="license noreferrer" className={LINK}>
            {licence}
          </a>
        ) : (
          licence
        )}{' '}
        · by {publication?.author ?? origin?.author}
        {publication && <> · published {formatTime(publication.published_at)}</>}
      </p>
      {origin && (
        <p className="text-sm text-soft wrap-break-word">
          Pulled from{' '}
          <a href={origin.url} target="_blank" rel="nofollow noreferrer" className={LINK}>
            {origin.server}
          </a>
          , version {origin.version}
          {origin.changed_here ? ', changed here since' : ''}. Author and origin are as {card.owner_name} states
          them. Strangers wrote it: read it before you rely on it.
        </p>
      )}
      <p className="flex min-w-0 items-center gap-1 text-xs text-faint">
        <code className="truncate">SHA-256 {publication?.content_hash ?? origin?.content_hash}</code>
        <CopyButton text={publication?.content_hash ?? origin?.content_hash ?? ''} label="Copy the hash" />
      </p>
    </CardPart>
  )
}
