import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { queryClient } from '../../../api/query.ts'
import { listVerdicts, verifyCard, withdrawVerdicts } from '../../../api/trust.ts'
import type { Card, Trust, Verdict } from '../../../api/types.ts'
import { credits } from '../../../lib/format.ts'
import { toast, toastError } from '../../../ui/toast.tsx'
import { cardQuery, listsChanged } from '../card-queries.ts'
import type { Outcome } from './outcomes.ts'

const AT_ONCE = 20

export function useVerdicts(cardId: string) {
  const query = useInfiniteQuery({
    queryKey: ['card', cardId, 'verdicts'],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      listVerdicts({ card_id: cardId, page: pageParam, page_size: AT_ONCE }, { signal }),
    getNextPageParam: ({ page, page_size, total }) => (page * page_size < total ? page + 1 : undefined),
  })
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  return { query, items, total: query.data?.pages[0]?.total ?? 0, mine: items.filter((item) => item.is_mine) }
}

export type Said = {
  outcome: Outcome
  environment: Record<string, string>
  note?: string | null
  evidence?: string | null
}

function changed(cardId: string, trust?: Trust | null) {
  if (trust !== undefined)
    queryClient.setQueryData(cardQuery(cardId).queryKey, (before) => before && { ...before, trust })
  listsChanged()
  return queryClient.invalidateQueries({ queryKey: ['card', cardId] })
}

const takeBack = async (cardId: string) => {
  await withdrawVerdicts({ card_id: cardId })
  await changed(cardId)
}

/** Says what came of a card. Taking back takes back all that one said, so undo is offered for the first word alone. */
export function useVerify(card: Card, isFirst: boolean) {
  return useMutation({
    mutationFn: (said: Said) => verifyCard({ card_id: card.card_id, ...said }),
    onSuccess: ({ trust, credits_awarded }) => {
      const earned = credits_awarded > 0 ? ` ${card.owner_name} earned ${credits(credits_awarded)}.` : ''
      toast(`Noted.${earned}`, isFirst ? { undo: () => void takeBack(card.card_id).catch(toastError) } : {})
      return changed(card.card_id, trust)
    },
  })
}

/** What was said of a former version cannot be said again of that one, so it has no undo. */
export function useTakeBack(card: Card, isComplete: boolean) {
  const sayAgain = async (said: readonly Verdict[]) => {
    for (const { outcome, environment, note, evidence } of said)
      await verifyCard({ card_id: card.card_id, outcome, environment, note, evidence })
    await changed(card.card_id)
  }
  return useMutation({
    // It is handed over, because the list is empty by the time of the undo.
    mutationFn: (_said: readonly Verdict[]) => takeBack(card.card_id),
    onError: toastError,
    onSuccess: (_, said) => {
      const canReturn = isComplete && said.every((verdict) => verdict.card_version === card.version)
      toast(
        'Taken back. It counts no more.',
        canReturn ? { undo: () => void sayAgain(said).catch(toastError) } : {},
      )
    },
  })
}
