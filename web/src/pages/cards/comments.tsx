import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import {
  type ComponentProps,
  type FormEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { mentionedIn, replaceMentions } from '#server/shared/mentions.ts'
import { ApiError, call } from '../../api/client.ts'
import { queryClient, useAttempt } from '../../api/query.ts'
import type { Card, Comment } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { formatAgo, formatTime, plural } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Field, Textarea } from '../../ui/field.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import { FormError, Notice, PartNotLoaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { membersQuery } from '../workspaces/workspace-queries.ts'
import { insertText, useSecrets } from './fields.tsx'
import { isReadByOwnerAlone } from './readers.tsx'
import * as strings from './strings.ts'

const ANCHOR = 'comments'

/** Comments of members; readers of the library do not see them. */
export function Comments({ card }: { card: Card }) {
  const { personal_workspace_id } = useMe()
  const { query, comments, total, audience } = useThread(card.card_id)
  const people = usePeople(card, audience?.workspace_id)
  const section = useRef<HTMLElement>(null)
  // On a card that only its owner reads, or whose comments nobody else reads, there is nobody to write to.
  const mayWrite =
    audience !== null && audience.workspace_id !== personal_workspace_id && !isReadByOwnerAlone(card)
  const isShown = mayWrite || total > 0
  useEffect(() => {
    if (isShown && location.hash === `#${ANCHOR}`) section.current?.scrollIntoView()
  }, [isShown])
  if (!isShown) return <PartNotLoaded what={strings.theComments} query={query} />
  return (
    <section
      ref={section}
      id={ANCHOR}
      aria-label={strings.comments}
      className="grid gap-4 border-t border-line pt-5"
    >
      <p className="text-sm text-soft">{total === 0 ? strings.comments : plural(total, 'comment')}</p>
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
          {strings.showMoreComments}
        </Button>
      )}
      {query.isFetchNextPageError && <FormError error={query.error} />}
      {mayWrite && (
        <NewComment
          key={card.card_id}
          card={card}
          people={people}
          readers={strings.commentHint(
            audience.name,
            card.workspace_id === audience.workspace_id ? '' : ', not by readers of the library',
          )}
        />
      )}
    </section>
  )
}

function NewComment({ card, people, readers }: { card: Card; people: readonly Person[]; readers: string }) {
  const { user_id } = useMe()
  const attempt = useAttempt()
  const send = useMutation({
    mutationFn: (body: string) =>
      attempt(body, (options) =>
        call('POST /api/v1/cards/{card_id}/comments', { card_id: card.card_id, body }, options),
      ),
    onSuccess: () => {
      // In a long thread the comment is on a page that is not shown yet.
      toast(strings.commentAdded)
      return threadChanged(card.card_id)
    },
  })
  return (
    <CommentForm
      label={strings.newComment}
      hint={readers}
      action={strings.comment}
      people={people}
      keptAs={`kv-comment:${user_id}:${card.card_id}`}
      busy={send.isPending}
      error={send.error}
      onSend={(body) => send.mutateAsync(body)}
    />
  )
}

const isChangedElsewhere = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'comment_changed'

function CommentRow({ comment, people }: { comment: Comment; people: readonly Person[] }) {
  const me = useMe()
  const [doing, setDoing] = useState<'edit' | 'delete' | null>(null)
  const [wasEdited, setEdited] = useState(false)
  const { card_id, comment_id } = comment
  const isMine = comment.user_id === me.user_id
  const close = () => setDoing(null)
  // What the comment said when its editing began: it may be edited in another tab too.
  const [seen, setSeen] = useState(comment.edited_at)
  const save = useMutation({
    mutationFn: (body: string) =>
      call('PATCH /api/v1/cards/{card_id}/comments/{comment_id}', {
        card_id,
        comment_id,
        body,
        expected_edited_at: seen,
      }),
    onSuccess: (saved) => {
      setSeen(saved.edited_at)
      return threadChanged(card_id)
    },
    onError: (error) => {
      if (isChangedElsewhere(error)) setSeen(error.extra.edited_at as string)
    },
  })
  return (
    <li className="grid gap-1">
      <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-faint">
        <span className="text-sm font-medium break-words text-ink">{comment.user_name}</span>
        <span title={formatTime(comment.created_at)}>{formatAgo(comment.created_at)}</span>
        {comment.edited_at && <span title={formatTime(comment.edited_at)}>{strings.edited}</span>}
        {doing !== 'edit' && (
          <span className="ml-auto flex gap-3">
            {comment.can_edit && (
              <TextButton
                autoFocus={wasEdited}
                onClick={() => {
                  setDoing('edit')
                  setEdited(true)
                  setSeen(comment.edited_at)
                }}
              >
                {strings.edit}
              </TextButton>
            )}
            {comment.can_delete && (
              <TextButton onClick={() => setDoing('delete')}>{strings.deleteLabel}</TextButton>
            )}
          </span>
        )}
      </p>
      {doing === 'edit' ? (
        <CommentForm
          label={strings.yourComment}
          action={strings.save}
          people={people}
          start={asTyped(comment.body, comment.mentions)}
          mentioned={peopleIn(comment.body, comment.mentions)}
          keptAs={`kv-comment:${me.user_id}:${comment_id}`}
          busy={save.isPending}
          error={save.error}
          now={
            isChangedElsewhere(save.error)
              ? asTyped(String(save.error.extra.body), comment.mentions)
              : undefined
          }
          onSend={(body) => save.mutateAsync(body)}
          onClose={close}
        />
      ) : (
        <LazyMarkdown>{asMarkdown(comment.body, comment.mentions)}</LazyMarkdown>
      )}
      {doing === 'delete' && (
        <DeleteComment
          comment={comment}
          whose={isMine ? strings.yourCommentName : strings.commentOf(comment.user_name)}
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
    mutationFn: () => call('DELETE /api/v1/cards/{card_id}/comments/{comment_id}', { card_id, comment_id }),
    onSuccess: async () => {
      onClose()
      toast(strings.commentDeleted)
      await threadChanged(card_id)
    },
    onError: toastError,
  })
  return (
    <ConfirmDialog
      title={strings.deleteCommentOf(whose)}
      action={strings.deleteLabel}
      mutation={remove}
      onClose={onClose}
    >
      <p>{strings.deleteCommentWarning}</p>
    </ConfirmDialog>
  )
}

type Props = {
  label: string
  hint?: string
  action: string
  people: readonly Person[]
  start?: string
  /** The people mentioned in the text it starts with. */
  mentioned?: readonly Person[]
  keptAs: string
  busy: boolean
  error: unknown
  /** What the comment says by now, if it was changed elsewhere. */
  now?: string | undefined
  /** Resolves once the comment is stored; then the field is emptied or the form closed. */
  onSend: (body: string) => Promise<unknown>
  /** For a form opened by a button: Escape closes it and keeps the text, Cancel drops it. */
  onClose?: () => void
}

const MAX_LENGTH = 10_000

function CommentForm({
  label,
  hint,
  action,
  people,
  start = '',
  mentioned = [],
  keptAs,
  busy,
  error,
  now,
  onSend,
  onClose,
}: Props) {
  const { text, change, dropSent, dropSaved } = useKeptText(keptAs, start)
  const [chosen, setChosen] = useState<Person[]>([])
  const form = useRef<HTMLFormElement>(null)
  const submit = async (event?: FormEvent) => {
    event?.preventDefault()
    if (busy || !text.trim()) return
    await onSend(asStored(text.trim(), people, [...mentioned, ...chosen])).then(
      () => {
        // The form may be closed by now, and another one open.
        if (onClose) return dropSaved(text) && form.current && onClose()
        dropSent(text)
        // Disabling the button loses the focus of a keyboard user, so the field gets it.
        if (form.current?.querySelector(':focus-visible')) form.current.querySelector('textarea')?.focus()
      },
      () => undefined,
    )
  }
  return (
    <form ref={form} className="grid gap-2" onSubmit={(event) => void submit(event)}>
      <MentionField
        label={label}
        hint={hint}
        text={text}
        people={people}
        onText={change}
        onChoose={(person) => setChosen([...chosen, person])}
        onSend={() => void submit()}
        onClose={onClose}
      />
      <SecretNote text={text} />
      <FormError error={error} />
      {now !== undefined && (
        <div className="text-sm">
          <p className="text-xs text-faint">{strings.commentNow}</p>
          <p className="whitespace-pre-wrap wrap-break-word">{now}</p>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={busy} disabled={!text.trim()}>
          {action}
        </Button>
        {onClose && (
          <Button
            look="ghost"
            onClick={() => {
              change(start)
              onClose()
            }}
          >
            {strings.cancel}
          </Button>
        )}
      </div>
    </form>
  )
}

/** The server redacts again. */
const SecretNote = ({ text }: { text: string }) =>
  useSecrets(text).length > 0 && <Notice tone="warn">{strings.secretInComment}</Notice>

type FieldProps = Pick<Props, 'label' | 'hint' | 'people' | 'onClose'> & {
  text: string
  onText: (text: string) => void
  onChoose: (person: Person) => void
  onSend: () => void
}

function MentionField({ label, hint, text, people, onText, onChoose, onSend, onClose }: FieldProps) {
  const listId = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  // A closable form was opened by a button, so it takes the focus.
  const isOpened = onClose !== undefined
  useEffect(() => {
    if (!isOpened) return
    field.current?.focus()
    field.current?.setSelectionRange(MAX_LENGTH, MAX_LENGTH)
  }, [isOpened])
  const [caret, setCaret] = useState(0)
  const [active, setActive] = useState(0)
  const [isClosed, setClosed] = useState(false)
  const typing = mentionTyped(text, caret)
  const shown = typing && !isClosed ? peopleLike(people, typing.typed) : []
  const at = Math.min(active, shown.length - 1)
  const choose = (person: Person) => {
    const box = field.current
    if (!typing || !box) return
    onChoose(person)
    box.setSelectionRange(typing.start, caret)
    insertText(box, `@${person.name} `)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // The key belongs to the composition of a word, for example in Chinese.
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      return onSend()
    }
    if (event.key === 'Escape' && shown.length === 0) return onClose?.()
    const person = shown[at]
    if (!person) return
    const step = { ArrowDown: 1, ArrowUp: shown.length - 1 }[event.key]
    if (step !== undefined) setActive((at + step) % shown.length)
    else if (event.key === 'Enter' || event.key === 'Tab') choose(person)
    else if (event.key === 'Escape') setClosed(true)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <Field label={label} hint={hint}>
      {(wiring) => (
        <div className="relative">
          <Textarea
            {...wiring}
            ref={field}
            maxLength={MAX_LENGTH}
            value={text}
            aria-autocomplete="list"
            aria-controls={shown.length > 0 ? listId : undefined}
            aria-activedescendant={shown.length > 0 ? `${listId}-${at}` : undefined}
            onKeyDown={onKeyDown}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
            onBlur={() => setClosed(true)}
            onChange={(event) => {
              onText(event.target.value)
              setCaret(event.target.selectionStart)
              setActive(0)
              setClosed(false)
            }}
          />
          <People id={listId} people={shown} active={at} onChoose={choose} />
        </div>
      )}
    </Field>
  )
}

type PeopleProps = {
  id: string
  people: readonly Person[]
  active: number
  onChoose: (person: Person) => void
}

/** The focus stays in the text. */
function People({ id, people, active, onChoose }: PeopleProps) {
  return (
    <>
      <p role="status" className="sr-only">
        {people.length > 0
          ? strings.membersMatch(plural(people.length, 'member matches', 'members match'))
          : ''}
      </p>
      {people.length > 0 && (
        <div
          id={id}
          role="listbox"
          aria-label={strings.members}
          className="absolute top-full left-0 z-20 mt-1 max-h-list-height w-full max-w-field overflow-y-auto rounded-md bg-panel p-1 shadow-float"
        >
          {people.map((person, index) => (
            <div
              key={person.user_id}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              onMouseDown={(event) => {
                event.preventDefault()
                onChoose(person)
              }}
              className={cx(
                'flex min-h-8 cursor-pointer items-center truncate rounded-sm px-2 text-sm pointer-coarse:min-h-10',
                index === active && 'bg-hover',
              )}
            >
              {person.name}
            </div>
          ))}
        </div>
      )}
    </>
  )
}

type Person = { user_id: string; name: string }

/** Returns the text between an @ and the caret, or null. */
export function mentionTyped(text: string, caret: number): { start: number; typed: string } | null {
  const start = text.lastIndexOf('@', caret - 1)
  if (start < 0 || (start > 0 && /[\p{L}\p{N}]/u.test(text[start - 1] ?? ''))) return null
  const typed = text.slice(start + 1, caret)
  return typed.length <= 40 && !/[\n@]/.test(typed) ? { start, typed } : null
}

const MAX_PEOPLE_SHOWN = 6

/** Returns people with a name, or a word of it, that begins with the typed text. */
export function peopleLike(people: readonly Person[], typed: string): Person[] {
  const wanted = typed.toLowerCase()
  const isLike = ({ name }: Person) => {
    const lower = name.toLowerCase()
    return lower.startsWith(wanted) || lower.split(/\s+/).some((word) => word.startsWith(wanted))
  }
  return people.filter(isLike).slice(0, MAX_PEOPLE_SHOWN)
}

const isWordSign = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign)

/**
 * Returns the text as it is stored: `@Name` becomes the member's id. Longer names are tried first; among
 * equal names the last chosen wins.
 */
export function asStored(text: string, people: readonly Person[], chosen: readonly Person[]): string {
  const ids = new Map([...people, ...chosen].map(({ name, user_id }) => [name, user_id]))
  const names = [...ids.keys()].filter(Boolean).sort((a, b) => b.length - a.length)
  let stored = ''
  for (let at = 0; at < text.length; ) {
    const name =
      text[at] === '@' && !isWordSign(text[at - 1])
        ? names.find((one) => text.startsWith(one, at + 1) && !isWordSign(text[at + 1 + one.length]))
        : undefined
    stored += name === undefined ? text[at] : `<@${ids.get(name)}>`
    at += name === undefined ? 1 : name.length + 1
  }
  return stored
}

type Mentioned = readonly { user_id: string; display_name: string }[]

const nameIn = (mentions: Mentioned, userId: string) =>
  mentions.find((one) => one.user_id === userId)?.display_name ?? 'somebody'

/** Returns the people mentioned in a stored text, former members included. */
export const peopleIn = (body: string, mentions: Mentioned): Person[] =>
  mentionedIn(body).map((user_id) => ({ user_id, name: nameIn(mentions, user_id) }))

export const asTyped = (body: string, mentions: Mentioned): string =>
  replaceMentions(body, (id) => `@${nameIn(mentions, id)}`)

/** Returns Markdown with names in bold; nothing in a name is read as Markdown. */
export const asMarkdown = (body: string, mentions: Mentioned): string =>
  replaceMentions(
    body,
    (id) => `**@${nameIn(mentions, id).replaceAll(/[\\`*_{}[\]()#+.!|<>~&:-]/g, '\\$&')}**`,
  )

const PAGE_SIZE = 50

const commentsQuery = (cardId: string) =>
  infiniteQueryOptions({
    queryKey: ['card', cardId, 'comments'],
    queryFn: ({ signal, pageParam }) =>
      call(
        'GET /api/v1/cards/{card_id}/comments',
        { card_id: cardId, page: pageParam, page_size: PAGE_SIZE },
        { signal },
      ),
    initialPageParam: 1,
    getNextPageParam: ({ page, page_size, total }) => (page * page_size < total ? page + 1 : undefined),
  })

const threadChanged = (cardId: string) =>
  queryClient.invalidateQueries({ queryKey: commentsQuery(cardId).queryKey })

function useThread(cardId: string) {
  const query = useInfiniteQuery(commentsQuery(cardId))
  const first = query.data?.pages[0]
  return {
    query,
    comments: query.data?.pages.flatMap((page) => page.items) ?? [],
    total: first?.total ?? 0,
    audience: first?.audience ?? null,
  }
}

/** Members who can read the card. Only editors and admins can read a draft. */
function usePeople(card: Card, workspaceId: string | undefined): Person[] {
  const { data: members = [] } = useQuery({
    ...membersQuery(workspaceId ?? ''),
    enabled: workspaceId !== undefined,
  })
  return members
    .filter((one) => card.status === 'published' || one.role !== 'viewer' || one.user_id === card.owner_id)
    .map((one) => ({ user_id: one.user_id, name: one.display_name }))
}
