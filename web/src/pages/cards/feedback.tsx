import { queryOptions, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { Clock, ThumbsDown, ThumbsUp } from 'lucide-react'
import { type FormEvent, type MouseEvent, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Card, FeedbackKind } from '../../api/types.ts'
import { neighbourGetsFocus } from '../../lib/focus.ts'
import { formatAgo, formatNumber } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { FormError, PartNotLoaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardQuery } from './card-queries.ts'
import * as strings from './strings.ts'

const KINDS: { kind: FeedbackKind; label: string; icon: typeof Clock }[] = [
  { kind: 'useful', label: strings.useful, icon: ThumbsUp },
  { kind: 'not_applicable', label: strings.didNotApply, icon: ThumbsDown },
  { kind: 'outdated', label: strings.outdated, icon: Clock },
]

const AT_ONCE = 20

export function Feedback({ card }: { card: Card }) {
  const me = useMe()
  return card.owner_id === me.user_id ? <Received card={card} /> : <Vote key={card.card_id} card={card} />
}

/** One vote per person; it shows at once and returns if the server refuses. */
function useVote(card: Card) {
  const ownQuery = queryOptions({
    queryKey: ['card', card.card_id, 'feedback', 'mine'],
    queryFn: ({ signal }) =>
      call('GET /api/v1/cards/{card_id}/feedback', { card_id: card.card_id, mine: true }, { signal }),
  })
  const own = useQuery(ownQuery)
  const given = own.data?.items[0]
  const [chosen, setChosen] = useState<FeedbackKind | null>(null)
  const mine = chosen ?? given?.kind ?? null
  const key = cardQuery(card.card_id).queryKey
  const give = useMutation({
    // The server replaces a vote together with its comment, so another vote resends the comment.
    mutationFn: async (input: { kind: FeedbackKind; comment?: string }) => {
      const { items } = await queryClient.ensureQueryData(ownQuery)
      return call('POST /api/v1/cards/{card_id}/feedback', {
        card_id: card.card_id,
        comment: items[0]?.comment,
        ...input,
      })
    },
    onMutate: ({ kind }) => {
      setChosen(kind)
      queryClient.setQueryData(key, (old) => old && { ...old, feedback: moved(old.feedback, mine, kind) })
      return { before: mine, chosen }
    },
    onError: (error, { kind }, context) => {
      setChosen(context?.chosen ?? null)
      queryClient.setQueryData(
        key,
        (old) => old && { ...old, feedback: moved(old.feedback, kind, context?.before ?? null) },
      )
      toastError(error)
    },
    onSuccess: async (_, { kind, comment: said }) => {
      if (said) toast(strings.commentThanks)
      await queryClient.invalidateQueries({ queryKey: ['card', card.card_id] })
      // From here on the list counts, unless a later vote is under way.
      if (queryClient.getQueryState(ownQuery.queryKey)?.status === 'success')
        setChosen((latest) => (latest === kind ? null : latest))
    },
  })
  const takeBack = useMutation({
    mutationFn: () => call('DELETE /api/v1/cards/{card_id}/feedback', { card_id: card.card_id }),
    onError: toastError,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['card', card.card_id] })
      setChosen(null)
      toast(strings.feedbackTakenBack)
    },
  })
  return { own, given, mine, give, takeBack }
}

function Vote({ card }: { card: Card }) {
  const { own, given, mine, give, takeBack } = useVote(card)
  const { user_id } = useMe()
  const { text: comment, change, dropSent } = useKeptText(`kv-feedback:${user_id}:${card.card_id}`, '')
  const drop = [() => dropSent(comment), () => undefined] as const
  const kinds = useRef<HTMLDivElement>(null)
  const takeAllBack = ({ currentTarget }: MouseEvent<Element>) => {
    neighbourGetsFocus(currentTarget, () => (kinds.current ? [kinds.current] : []))
    void takeBack.mutateAsync().then(...drop)
  }
  const say = (event: FormEvent) => {
    event.preventDefault()
    if (mine && comment.trim()) void give.mutateAsync({ kind: mine, comment: comment.trim() }).then(...drop)
  }
  return (
    <section aria-label={strings.feedback} className="grid gap-2 border-t border-line pt-5">
      <p className="text-sm text-soft">{strings.didItHelp}</p>
      <div ref={kinds} className="flex flex-wrap gap-2">
        {KINDS.map(({ kind, label, icon: Icon }) => (
          <Button
            key={kind}
            aria-pressed={mine === kind}
            className={mine === kind ? 'border-accent! bg-chosen! text-accent-strong!' : ''}
            onClick={() => mine !== kind && give.mutate({ kind })}
          >
            <Icon size={14} aria-hidden />
            {label}
            <span className="text-faint tabular-nums">{card.feedback[kind]}</span>
          </Button>
        ))}
      </div>
      <PartNotLoaded what={strings.whatYouSaid} query={own} />
      {mine && (
        <form className="flex gap-2" onSubmit={say}>
          <Input
            aria-label={strings.commentForAuthor}
            placeholder={given?.comment ?? strings.sayMore}
            maxLength={2000}
            value={comment}
            onChange={(event) => change(event.target.value)}
          />
          <Button type="submit" disabled={!comment.trim()} busy={give.isPending}>
            {strings.send}
          </Button>
          <Button look="ghost" busy={takeBack.isPending} disabled={give.isPending} onClick={takeAllBack}>
            {strings.takeBack}
          </Button>
        </form>
      )}
    </section>
  )
}

function Received({ card }: { card: Card }) {
  const comments = useInfiniteQuery({
    queryKey: ['card', card.card_id, 'feedback', 'comments'],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /api/v1/cards/{card_id}/feedback',
        { card_id: card.card_id, with_comment: true, page: pageParam, page_size: AT_ONCE },
        { signal },
      ),
    getNextPageParam: ({ page, page_size, total }) => (page * page_size < total ? page + 1 : undefined),
  })
  const said = comments.data?.pages.flatMap((page) => page.items) ?? []
  const total = card.feedback.useful + card.feedback.not_applicable + card.feedback.outdated
  return (
    <section aria-label={strings.feedback} className="grid gap-3 border-t border-line pt-5">
      <p className="text-sm text-soft">{total === 0 ? strings.noFeedbackYet : strings.whatOthersSaid}</p>
      {total > 0 && (
        <ul className="flex flex-wrap gap-4 text-sm">
          {KINDS.map(({ kind, label, icon: Icon }) => (
            <li key={kind} className="flex items-center gap-1.5 text-soft">
              <Icon size={14} aria-hidden />
              {label} <span className="font-medium text-ink tabular-nums">{card.feedback[kind]}</span>
            </li>
          ))}
        </ul>
      )}
      {total > 0 && <PartNotLoaded what={strings.whatTheyWrote} query={comments} />}
      {said.map((item) => (
        <blockquote key={item.feedback_id} className="border-l-2 border-line-strong pl-3 text-sm">
          <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{item.comment}</p>
          <footer className="text-xs text-faint">
            <bdi>{item.user_name}</bdi> · {formatAgo(item.created_at)}
          </footer>
        </blockquote>
      ))}
      {comments.hasNextPage && (
        <Button
          size="sm"
          className="justify-self-start"
          busy={comments.isFetchingNextPage}
          onClick={() => void comments.fetchNextPage()}
        >
          {strings.showMoreOf(formatNumber(comments.data?.pages[0]?.total ?? 0))}
        </Button>
      )}
      {comments.isFetchNextPageError && <FormError error={comments.error} />}
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
