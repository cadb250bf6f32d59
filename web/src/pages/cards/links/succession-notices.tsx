import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Card } from '../../../api/types.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/states.tsx'
import { toastError } from '../../../ui/toast.tsx'
import { cardQuery } from '../card-queries.ts'
import { KeptText } from '../lazy-kept-text.ts'
import { linksQuery, useUnmerge } from './use-card-links.ts'

export const SupersededNotice = ({ by }: { by: NonNullable<Card['superseded_by']> }) => (
  <Notice tone="warn">
    Superseded by{' '}
    <Link
      to="/cards/$cardId"
      params={{ cardId: by.card_id }}
      className="font-medium underline [overflow-wrap:anywhere]"
    >
      {by.title}
    </Link>
    . Search shows that one.
  </Notice>
)

type MergedProps = { card: Card; mergedFrom: string; inPane: boolean }

/** The address only says which card was asked for; the server says whether it was merged into this one. */
export function MergedNotice({ card, mergedFrom, inPane }: MergedProps) {
  const asked = useQuery(cardQuery(mergedFrom))
  const why = useQuery(linksQuery(mergedFrom)).data?.merge?.why
  const unmerge = useUnmerge()
  const undo = useMutation({ mutationFn: () => unmerge(mergedFrom, inPane), onError: toastError })
  if (asked.data?.merged_from !== mergedFrom || asked.data.card_id !== card.card_id) return null
  return (
    <>
      <Notice
        action={
          card.can_edit && (
            <Button size="sm" busy={undo.isPending} onClick={() => undo.mutate()}>
              Undo the merge
            </Button>
          )
        }
      >
        You asked for another card, which was merged into this card.
        {why && <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{why}</p>}
      </Notice>
      <KeptText cardId={mergedFrom} />
    </>
  )
}
