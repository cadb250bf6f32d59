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
  const own: Own = {
    verdicts: items.filter((item) => item.is_mine),
    isComplete: query.isSuccess && !query.hasNextPage,
  }
  return { query, items, total: query.data?.pages[0]?.total ?? 0, own }
}

/** The person's own verdicts, as far as the list is loaded. */
export type Own = { verdicts: Verdict[]; isComplete: boolean }

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

/** The undo of an earlier verdict would withdraw the later ones too. */
const noticesOf = ({ card_id }: Card) => `verdicts ${card_id}`

/** Gives a verdict. Undo would withdraw all verdicts of the person, so it is offered for the first one only. */
export function useVerify(card: Card, own: Own) {
  return useMutation({
    // Kept from before the call: until the answer arrives the list may have been read again.
    onMutate: () => own,
    mutationFn: (said: Said) => verifyCard({ card_id: card.card_id, ...said }),
    onSuccess: ({ verdict_id, trust, credits_awarded }, _said, before) => {
      if (before.verdicts.some((verdict) => verdict.verdict_id === verdict_id))
        return toast('You have already said so.')
      const isFirst = before.isComplete && before.verdicts.length === 0
      const earned = credits_awarded > 0 ? ` ${card.owner_name} earned ${credits(credits_awarded)}.` : ''
      const undo = () => void takeBack(card.card_id).catch(toastError)
      toast(`Noted.${earned}`, { about: noticesOf(card), ...(isFirst ? { undo } : {}) })
      return changed(card.card_id, trust)
    },
  })
}

/** Withdraws all verdicts. A verdict on a former version cannot be given again, so then there is no undo. */
export function useTakeBack(card: Card, own: Own) {
  const sayAgain = async (said: readonly Verdict[]) => {
    for (const { outcome, environment, note, evidence } of said)
      await verifyCard({ card_id: card.card_id, outcome, environment, note, evidence })
    await changed(card.card_id)
  }
  return useMutation({
    onMutate: () => own,
    mutationFn: () => takeBack(card.card_id),
    onError: toastError,
    onSuccess: (_answer, _input, { verdicts, isComplete }) => {
      const canReturn = isComplete && verdicts.every(({ card_version }) => card_version === card.version)
      const undo = () => void sayAgain(verdicts).catch(toastError)
      toast('Taken back. It no longer counts.', { about: noticesOf(card), ...(canReturn ? { undo } : {}) })
    },
  })
}
