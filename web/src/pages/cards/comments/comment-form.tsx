import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { plural } from '../../../lib/format.ts'
import { useKeptText } from '../../../lib/use-kept-text.ts'
import { Button } from '../../../ui/button.tsx'
import { Field, Textarea } from '../../../ui/field.tsx'
import { FormError, Notice } from '../../../ui/states.tsx'
import { insertText } from '../paste/insert-text.ts'
import { useSecrets } from '../secret-warning.tsx'
import { asStored, mentionTyped, type Person, peopleLike } from './mention-text.ts'

type Props = {
  label: string
  hint?: string
  action: string
  people: readonly Person[]
  start?: string
  /** Whom the text mentions that it starts with. */
  mentioned?: readonly Person[]
  /** Under this name the browser keeps what is not sent yet. */
  keptAs: string
  busy: boolean
  error: unknown
  /** Resolves once the comment is stored; then the field is emptied, or the form closed. */
  onSend: (body: string) => Promise<unknown>
  /** For a form that was opened by a button. Escape closes it and keeps what was written; Cancel drops that. */
  onClose?: () => void
}

const MAX_LENGTH = 10_000

/** Markdown with names: an @ opens the list of members. */
export function CommentForm({
  label,
  hint,
  action,
  people,
  start = '',
  mentioned = [],
  keptAs,
  busy,
  error,
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
        // The form may be closed by now, and another one open in its stead.
        if (onClose) return dropSaved(text) && form.current && onClose()
        dropSent(text)
        // The button is disabled over an empty field; whoever pressed it by keyboard goes on from the field.
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
            Cancel
          </Button>
        )}
      </div>
    </form>
  )
}

/** The server does the same again, whatever is sent. */
const SecretNote = ({ text }: { text: string }) =>
  useSecrets(text).length > 0 && (
    <Notice tone="warn">This looks like it contains a secret. A placeholder will replace it.</Notice>
  )

type FieldProps = Pick<Props, 'label' | 'hint' | 'people' | 'onClose'> & {
  text: string
  onText: (text: string) => void
  onChoose: (person: Person) => void
  onSend: () => void
}

function MentionField({ label, hint, text, people, onText, onChoose, onSend, onClose }: FieldProps) {
  const listId = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  // A form that can be closed was opened by a button, which had the focus.
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
    // This key belongs to what is being composed, such as a word in Chinese or Japanese.
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

/** The focus stays in the text; the list only shows what Enter would put there. */
function People({ id, people, active, onChoose }: PeopleProps) {
  return (
    <>
      <p role="status" className="sr-only">
        {people.length > 0
          ? `${plural(people.length, 'member matches', 'members match')}. Arrow keys choose, Enter mentions.`
          : ''}
      </p>
      {people.length > 0 && (
        <div
          id={id}
          role="listbox"
          aria-label="Members"
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
                // Pressing must not take the focus from the text.
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
