import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import type { Card } from '../../api/types.ts'
import { useShortcut } from '../../lib/shortcuts.ts'
import { useTitle } from '../../lib/use-title.ts'
import { Boundary } from '../../ui/boundary.tsx'
import { Notice } from '../../ui/states.tsx'
import { HiddenNotice } from '../moderation/hidden-notice.tsx'
import { CardContent } from './card-content.tsx'
import { CardHead } from './card-head.tsx'
import { Comments } from './comments/comments.tsx'
import { Feedback } from './feedback.tsx'
import { LicenceAndOrigin } from './licence-and-origin.tsx'
import { CardLinks } from './links/card-links.tsx'
import { MergedNotice, SupersededNotice } from './links/succession-notices.tsx'
import { ReviewNote } from './review-note.tsx'
import { SimilarCards } from './similar-cards.tsx'
import { Verdicts } from './trust/verdicts.tsx'

type Props = { card: Card; terms: string[]; inPane: boolean; mergedFrom: string | undefined }

/** A card to read: in the pane beside the results, and as a page of its own. */
export function CardView({ card, terms, inPane, mergedFrom }: Props) {
  const navigate = useNavigate()
  useTitle(card.title)
  useShortcut(
    'e',
    () => void navigate({ to: '/cards/$cardId/edit', params: { cardId: card.card_id } }),
    card.can_edit,
  )
  // What is around the text is drawn after it: people read first.
  const isTextDrawn = useDeferredValue(true, false)
  return (
    <article className="mx-auto grid max-w-reading gap-6 px-4 py-5 md:px-8 md:py-7">
      <CardHead card={card} terms={terms} inPane={inPane} />
      {mergedFrom && <MergedNotice card={card} mergedFrom={mergedFrom} inPane={inPane} />}
      {card.superseded_by && <SupersededNotice by={card.superseded_by} />}
      <HiddenNotice card={card} />
      <ReviewNote card={card} />
      {card.likely_outdated && (
        <Notice tone="warn">
          Verdicts and feedback speak against this card. Check it before you rely on it.
        </Notice>
      )}
      <CardContent card={card} />
      <LicenceAndOrigin card={card} />
      <Boundary what="The links of this card">
        <CardLinks card={card} />
      </Boundary>
      {isTextDrawn && (
        <div data-screen="" className="grid gap-6">
          <Boundary what="What people found">
            <Verdicts card={card} />
          </Boundary>
          <Boundary what="The feedback">
            <Feedback card={card} />
          </Boundary>
          <Boundary what="The comments">
            <Comments card={card} />
          </Boundary>
          <Boundary what="The list of similar cards">
            <SimilarCards card={card} />
          </Boundary>
        </div>
      )}
    </article>
  )
}
