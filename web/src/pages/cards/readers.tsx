import { Globe, Link2, Lock, PenLine, Users } from 'lucide-react'
import type { Card } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'

/** The texts of this file, which is part of the first load. */
const strings = {
  leftWorkspace: 'A workspace that you left',
  alsoIn: (team: string, place: string) => `${team} · also in ${place}`,
  theLibrary: 'the library',
}

const ICONS = { owner: Lock, editors: PenLine, members: Users, link: Link2, everyone: Globe } as const

/** Nobody else reads the card, so nobody is asked about it. */
export const isReadByOwnerAlone = ({ readers }: Pick<Card, 'readers'>): boolean => readers.kind === 'owner'

type HomeAndReaders = Pick<Card, 'home' | 'readers'>

/** Returns the home of a card, unless its readers already name it. */
const homeWords = ({ home, readers }: HomeAndReaders): string | null => {
  if (readers.kind === 'members' || readers.kind === 'editors') return null
  return home.name ?? strings.leftWorkspace
}

/** What a team has published stays its card: the line says so in place of the readers, who are everyone. */
function wordsOf(card: HomeAndReaders): string {
  const { home, readers } = card
  const place = home.kind === 'library' ? strings.theLibrary : home.name
  if (home.published_from && place && readers.kind === 'everyone')
    return strings.alsoIn(home.published_from.name, place)
  const words = homeWords(card)
  return words ? `${words} · ${readers.text}` : readers.text
}

export function ReadersLine({
  card,
  className = 'max-w-full',
}: {
  card: HomeAndReaders
  /** A name in one long word must not widen the page. */
  className?: string
}) {
  const Icon = ICONS[card.readers.kind]
  return (
    <span className={cx('inline-flex min-w-0 items-center gap-1 text-xs text-faint', className)}>
      <Icon size={12} aria-hidden className="shrink-0" />
      <span className="truncate">{wordsOf(card)}</span>
    </span>
  )
}
