import { useMutation } from '@tanstack/react-query'
import { Clock, ThumbsDown, ThumbsUp } from 'lucide-react'
import { useState } from 'react'
import { giveFeedback } from '../../api/card-feedback.ts'
import { queryClient } from '../../api/query.ts'
import type { Card, FeedbackKind } from '../../api/types.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { toastError } from '../../ui/toast.tsx'
import { cardQuery } from './card-queries.ts'

const kinds: { kind: FeedbackKind; label: string; icon: typeof Clock; thanks: string }[] = [
  { kind: 'useful', label: 'Useful', icon: ThumbsUp, thanks: 'Noted as useful. Its author sees that.' },
  {
    kind: 'not_applicable',
    label: 'Did not apply',
    icon: ThumbsDown,
    thanks: 'Noted as not applicable here.',
  },
  { kind: 'outdated', label: 'Outdated', icon: Clock, thanks: 'Noted as outdated. Its author sees that.' },
]

/** One vote per person; the count moves at once and comes back if the server refuses. */
export function Feedback({ card }: { card: Card }) {
  const me = useMe()
  const [mine, setMine] = useState<FeedbackKind | null>(null)
  const give = useMutation({
    mutationFn: (kind: FeedbackKind) => giveFeedback({ case_id: card.card_id, kind }),
    onMutate: (kind) => {
      const before = mine
      setMine(kind)
      queryClient.setQueryData(
        cardQuery(card.card_id).queryKey,
        (old) => old && { ...old, feedback: moved(old.feedback, before, kind) },
      )
      return { before }
    },
    onError: (error, kind, context) => {
      setMine(context?.before ?? null)
      queryClient.setQueryData(
        cardQuery(card.card_id).queryKey,
        (old) => old && { ...old, feedback: moved(old.feedback, kind, context?.before ?? null) },
      )
      toastError(error)
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: cardQuery(card.card_id).queryKey }),
  })
  const own = card.owner_id === me.user_id
  return (
    <section aria-label="Feedback" className="grid gap-2 border-t border-line pt-5">
      <p className="text-sm text-soft">{own ? 'What others said about it' : 'Did it help?'}</p>
      <div className="flex flex-wrap gap-2">
        {kinds.map(({ kind, label, icon: Icon }) => (
          <Button
            key={kind}
            look={mine === kind ? 'primary' : 'plain'}
            aria-pressed={mine === kind}
            disabled={own}
            onClick={() => mine !== kind && give.mutate(kind)}
          >
            <Icon size={14} aria-hidden />
            {label}
            <span className="tabular-nums opacity-80">{card.feedback[kind]}</span>
          </Button>
        ))}
      </div>
      <p role="status" className="text-xs text-faint">
        {mine && kinds.find((one) => one.kind === mine)?.thanks}
      </p>
    </section>
  )
}

function moved(
  counts: Card['feedback'],
  from: FeedbackKind | null,
  to: FeedbackKind | null,
): Card['feedback'] {
  const next = { ...counts }
  if (from) next[from] = Math.max(0, next[from] - 1)
  if (to) next[to] += 1
  return next
}
