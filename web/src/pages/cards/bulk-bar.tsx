import { useMutation } from '@tanstack/react-query'
import { Undo2, Users } from 'lucide-react'
import { useState } from 'react'
import { shareCard, unpublishCard } from '../../api/cards.ts'
import { queryClient } from '../../api/query.ts'
import type { Card, ListedCard } from '../../api/types.ts'
import { plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { toast, toastError } from '../../ui/toast.tsx'

type Props = {
  cards: ListedCard[]
  chosen: ReadonlySet<string>
  total: string
  onAll: () => void
  onNone: () => void
}

type Move = (input: { card_id: string }) => Promise<Card>

/** One after the other, so that the first refusal is seen beside what already happened. */
async function runAll(cards: ListedCard[], move: Move) {
  const done: ListedCard[] = []
  const refused: { card: ListedCard; error: unknown }[] = []
  for (const card of cards) {
    try {
      await move({ card_id: card.card_id })
      done.push(card)
    } catch (error) {
      refused.push({ card, error })
    }
  }
  await queryClient.invalidateQueries({ queryKey: ['cards'] })
  return { done, refused }
}

/** Share or unpublish several cards; unpublishing says in numbers what it takes away. */
export function BulkBar({ cards, chosen, total, onAll, onNone }: Props) {
  const [asking, setAsking] = useState(false)
  const picked = cards.filter((card) => chosen.has(card.card_id))
  const sharable = picked.filter((card) => card.status === 'unpublished')
  const published = picked.filter((card) => card.status === 'published')
  const report = (word: string, back: Move) => (result: Awaited<ReturnType<typeof runAll>>) => {
    onNone()
    setAsking(false)
    if (result.done.length)
      toast(`${plural(result.done.length, 'card')} ${word}.`, { undo: () => void runAll(result.done, back) })
    for (const { error } of result.refused.slice(0, 1)) toastError(error)
  }
  const share = useMutation({
    mutationFn: () => runAll(sharable, shareCard),
    onSuccess: report('shared', unpublishCard),
  })
  const unpublish = useMutation({
    mutationFn: () => runAll(published, unpublishCard),
    onSuccess: report('made private', shareCard),
  })
  const inLibrary = published.filter(
    (card) => card.origin_workspace_id && card.origin_workspace_id !== card.workspace_id,
  ).length
  if (picked.length === 0)
    return (
      <div className="flex min-h-8 items-center justify-between pb-1 text-xs text-faint">
        <span role="status">{total}</span>
        <Button look="ghost" size="sm" onClick={onAll}>
          Choose all on this page
        </Button>
      </div>
    )
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-2 pb-1 text-sm">
      <span role="status" className="font-medium">
        {plural(picked.length, 'card')} chosen
      </span>
      <Button
        size="sm"
        disabled={sharable.length === 0}
        busy={share.isPending}
        onClick={() => share.mutate()}
      >
        <Users size={14} aria-hidden />
        Share {sharable.length > 0 && sharable.length}
      </Button>
      <Button size="sm" disabled={published.length === 0} onClick={() => setAsking(true)}>
        <Undo2 size={14} aria-hidden />
        Make private {published.length > 0 && published.length}
      </Button>
      <Button size="sm" look="ghost" onClick={onNone}>
        Clear
      </Button>
      {asking && (
        <ConfirmDialog
          title={`Make ${plural(published.length, 'card')} private`}
          action="Make private"
          onClose={() => setAsking(false)}
          mutation={unpublish}
        >
          <p>
            {inLibrary > 0 && `${plural(inLibrary, 'card')} will leave the public library. `}
            {published.length - inLibrary > 0 &&
              `${plural(published.length - inLibrary, 'card')} will no longer be found by the team. `}
            Credits that were earned stay; publishing again earns nothing.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}
