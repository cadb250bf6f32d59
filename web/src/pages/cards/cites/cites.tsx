import { FileCode, Link as LinkIcon, Package, Pencil } from 'lucide-react'
import { useState } from 'react'
import { readCite } from '#server/shared/cites.ts'
import type { Card } from '../../../api/types.ts'
import { IconButton } from '../../../ui/button.tsx'
import { CardPart } from '../card-part.tsx'
import { CitesDialog } from '../lazy-dialogs.tsx'

/** What the card is about; when that changes, the card may no longer be true. */
export function Cites({ card }: { card: Card }) {
  const [editing, setEditing] = useState(false)
  if (card.cites.length === 0) return null
  const edit = card.can_edit && (
    <IconButton label="Edit cites" onClick={() => setEditing(true)}>
      <Pencil size={12} />
    </IconButton>
  )
  return (
    <CardPart title="Cites" action={edit}>
      <ul aria-label="Cites" className="flex flex-wrap gap-2">
        {card.cites.map((text) => (
          <li key={text} className="max-w-full">
            <CiteChip text={text} />
          </li>
        ))}
      </ul>
      {editing && <CitesDialog card={card} onClose={() => setEditing(false)} />}
    </CardPart>
  )
}

const CHIP = 'flex h-6 max-w-full items-center gap-1.5 rounded-sm bg-sunken px-2 font-mono text-xs'

function CiteChip({ text }: { text: string }) {
  const cite = readCite(text)
  if (cite?.kind === 'url')
    return (
      <a
        href={cite.url}
        target="_blank"
        rel="noreferrer"
        title={cite.url}
        className={`${CHIP} hover:bg-hover`}
      >
        <LinkIcon size={12} className="shrink-0 text-faint" aria-hidden />
        <span className="text-faint">page</span>
        <span className="truncate underline">{cite.url.replace(/^https?:\/\//, '')}</span>
      </a>
    )
  if (cite?.kind === 'file')
    return (
      <span className={CHIP} title={text}>
        <FileCode size={12} className="shrink-0 text-faint" aria-hidden />
        <span className="text-faint">file</span>
        <span className="truncate">
          {cite.path}@{cite.commit.slice(0, 7)}
        </span>
      </span>
    )
  return (
    <span className={CHIP} title={text}>
      <Package size={12} className="shrink-0 text-faint" aria-hidden />
      <span className="text-faint">{cite?.ecosystem ?? 'package'}</span>
      <span className="truncate">{cite ? `${cite.name}@${cite.range}` : text}</span>
    </span>
  )
}
