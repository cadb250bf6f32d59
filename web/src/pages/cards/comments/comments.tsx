import { useMutation } from '@tanstack/react-query'
import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { type Comment, createComment, deleteComment, editComment } from '../../../api/comments.ts'
import type { Card } from '../../../api/types.ts'
import { useAttempt } from '../../../api/use-attempt.ts'
import { formatAgo, formatTime, plural } from '../../../lib/format.ts'
import { useMe } from '../../../session.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { LazyMarkdown } from '../../../ui/lazy-markdown.tsx'
import { FormError, PartNotLoaded } from '../../../ui/states.tsx'
import { toast, toastError } from '../../../ui/toast.tsx'
import { CommentForm } from './comment-form.tsx'
import { asMarkdown, asTyped, type Person, peopleIn } from './mention-text.ts'
import { threadChanged, usePeople, useThread } from './use-comments.ts'

/** Links to the thread end with this. */
const ANCHOR = 'comments'

/** The comments of members on a card. Readers of the library do not see them. */
export function Comments({ card }: { card: Card }) {
  const { personal_workspace_id } = useMe()
  const { query, comments, total, audience } = useThread(card.card_id)
  const people = usePeople(card, audience?.workspace_id)
  const section = useRef<HTMLElement>(null)
  const isShown = audience !== null || total > 0
  useEffect(() => {
    if (isShown && location.hash === `#${ANCHOR}`) section.current?.scrollIntoView()
  }, [isShown])
  if (!isShown) return <PartNotLoaded what="The comments" query={query} />
  return (
    <section ref={section} id={ANCHOR} aria-label="Comments" className="grid gap-4 border-t border-line pt-5">
      <p className="text-sm text-soft">{total === 0 ? 'Comments' : plural(total, 'comment')}</p>
      {comments.length > 0 && (
        <ul className="grid gap-4">
          {comments.map((comment) => (
            <CommentRow key={comment.comment_id} comment={comment} people={people} />
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <Button
          className="justify-self-start"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show more comments
        </Button>
      )}
      {query.isFetchNextPageError && <FormError error={query.error} />}
      {audience && (
        <NewComment
          key={card.card_id}
          card={card}
          people={people}
          readers={readersOf(card, audience, personal_workspace_id)}
        />
      )}
    </section>
  )
}

function readersOf(card: Card, audience: { name: string; workspace_id: string }, personalId: string): string {
  const isElsewhere = card.workspace_id !== audience.workspace_id
  const who = audience.workspace_id === personalId ? 'you alone' : `members of ${audience.name}`
  return `Read by ${who}${isElsewhere ? ', not by readers of the library' : ''}. @ mentions somebody. Markdown works.`
}

function NewComment({ card, people, readers }: { card: Card; people: readonly Person[]; readers: string }) {
  const { user_id } = useMe()
  const attempt = useAttempt()
  const send = useMutation({
    mutationFn: (body: string) =>
      attempt(body, (options) => createComment({ card_id: card.card_id, body }, options)),
    onSuccess: () => {
      // In a long thread it is on a page that is not shown yet.
      toast('Your comment is added.')
      return threadChanged(card.card_id)
    },
  })
  return (
    <CommentForm
      label="New comment"
      hint={readers}
      action="Comment"
      people={people}
      keptAs={`kv-comment:${user_id}:${card.card_id}`}
      busy={send.isPending}
      error={send.error}
      onSend={(body) => send.mutateAsync(body)}
    />
  )
}

function CommentRow({ comment, people }: { comment: Comment; people: readonly Person[] }) {
  const me = useMe()
  const [doing, setDoing] = useState<'edit' | 'delete' | null>(null)
  const [wasEdited, setEdited] = useState(false)
  const { card_id, comment_id } = comment
  const isMine = comment.user_id === me.user_id
  const close = () => setDoing(null)
  const save = useMutation({
    mutationFn: (body: string) => editComment({ card_id, comment_id, body }),
    onSuccess: () => threadChanged(card_id),
  })
  return (
    <li className="grid gap-1">
      <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-faint">
        <span className="text-sm font-medium break-words text-ink">{comment.user_name}</span>
        <span title={formatTime(comment.created_at)}>{formatAgo(comment.created_at)}</span>
        {comment.edited_at && <span title={formatTime(comment.edited_at)}>edited</span>}
        {doing !== 'edit' && (
          <span className="ml-auto flex gap-3">
            {comment.can_edit && (
              <TextButton
                autoFocus={wasEdited}
                onClick={() => {
                  setDoing('edit')
                  setEdited(true)
                }}
              >
                Edit
              </TextButton>
            )}
            {comment.can_delete && <TextButton onClick={() => setDoing('delete')}>Delete</TextButton>}
          </span>
        )}
      </p>
      {doing === 'edit' ? (
        <CommentForm
          label="Your comment"
          action="Save"
          people={people}
          start={asTyped(comment.body, comment.mentions)}
          mentioned={peopleIn(comment.body, comment.mentions)}
          keptAs={`kv-comment:${me.user_id}:${comment_id}`}
          busy={save.isPending}
          error={save.error}
          onSend={(body) => save.mutateAsync(body)}
          onClose={close}
        />
      ) : (
        <LazyMarkdown>{asMarkdown(comment.body, comment.mentions)}</LazyMarkdown>
      )}
      {doing === 'delete' && (
        <DeleteComment
          comment={comment}
          whose={isMine ? 'your comment' : `the comment of ${comment.user_name}`}
          onClose={close}
        />
      )}
    </li>
  )
}

const TextButton = (props: ComponentProps<'button'>) => (
  <button
    type="button"
    {...props}
    className="rounded-sm text-soft underline-offset-2 hover:text-ink hover:underline pointer-coarse:py-2"
  />
)

type DeleteProps = { comment: Comment; whose: string; onClose: () => void }

function DeleteComment({ comment: { card_id, comment_id }, whose, onClose }: DeleteProps) {
  const remove = useMutation({
    mutationFn: () => deleteComment({ card_id, comment_id }),
    onSuccess: async () => {
      onClose()
      toast('The comment is deleted.')
      await threadChanged(card_id)
    },
    onError: toastError,
  })
  return (
    <ConfirmDialog title={`Delete ${whose}?`} action="Delete" mutation={remove} onClose={onClose}>
      <p>It is gone for everybody, and cannot be brought back.</p>
    </ConfirmDialog>
  )
}
