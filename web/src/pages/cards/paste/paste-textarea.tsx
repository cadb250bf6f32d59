import {
  type ClipboardEvent,
  type ComponentProps,
  type DragEvent,
  type RefObject,
  useRef,
  useState,
} from 'react'
import { MAX_IMAGE_BYTES } from '#server/shared/image-format.ts'
import { uploadImage } from '../../../api/images.ts'
import { Button } from '../../../ui/button.tsx'
import { Textarea } from '../../../ui/field.tsx'
import { Notice } from '../../../ui/states.tsx'
import { cutNote } from './cut-note.ts'
import { insertText, keepCaret, replaceText } from './insert-text.ts'
import { pasteInto } from './paste-into.ts'

type Props = Omit<ComponentProps<'textarea'>, 'onChange' | 'value' | 'maxLength'> & {
  value: string
  onChange: (value: string) => void
  maxLength: number
  /** The text is Markdown: logs and traces become code, and pictures can be pasted. */
  markdown?: boolean
}

type Note = { text: string; tone: 'info' | 'warn' | 'bad'; undo?: (() => void) | undefined }

const altOf = (file: File) => {
  const name = file.name.replace(/\.\w+$/, '').replace(/[[\]`*_]/g, ' ')
  return name === '' || name === 'image' ? 'Picture' : name
}

/** The pictures among the files, or why there is none to take; null if no file was handed over. */
function picturesIn(data: DataTransfer, markdown: boolean): File[] | string | null {
  const files = [...data.files]
  const [first] = files
  if (!first) return null
  const pictures = markdown ? files.filter((file) => file.type.startsWith('image/')) : []
  if (pictures.length > 0) return pictures
  return `${first.name || 'The file'} was not taken: ${markdown ? 'only text and pictures' : 'only text'} can be put here.`
}

/** A text box that says what it did with a paste, and undoes it on request. */
export function PasteTextarea({ value, onChange, maxLength, markdown = false, ...rest }: Props) {
  const box = useRef<HTMLTextAreaElement>(null)
  const [note, setNote] = useState<Note | null>(null)
  const attach = useAttach(box, setNote)
  const takeFiles = (data: DataTransfer): boolean => {
    const pictures = picturesIn(data, markdown)
    if (typeof pictures === 'string') setNote({ tone: 'bad', text: pictures })
    else if (pictures) void attach(pictures)
    return pictures !== null
  }
  const paste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData('text/plain').replace(/\r\n?/g, '\n')
    if (pasted === '' && takeFiles(event.clipboardData)) return event.preventDefault()
    const { selectionStart, selectionEnd } = event.currentTarget
    const around = { before: value.slice(0, selectionStart), after: value.slice(selectionEnd) }
    const done = pasteInto(pasted, { ...around, maxLength, asCode: markdown })
    setNote(null)
    if (!done) return
    event.preventDefault()
    insertText(event.currentTarget, done.text)
    const said = done.recognised ? `Recognised as ${done.recognised.what} and put into a code block.` : ''
    const undo = done.recognised
      ? () => box.current && replaceText(box.current, done.text, done.plain)
      : undefined
    const text = [said, cutNote(done.cut, maxLength)].filter(Boolean).join(' ')
    if (text) setNote({ text, tone: done.cut === '' ? 'info' : 'warn', undo: undo && (() => void undo()) })
  }
  // A browser would leave the page to show a file that nobody takes.
  const drop = (event: DragEvent) => {
    if (takeFiles(event.dataTransfer)) event.preventDefault()
  }
  return (
    <div className="grid gap-1.5">
      <Textarea
        {...rest}
        ref={box}
        maxLength={maxLength}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onPaste={paste}
        onDrop={drop}
      />
      {markdown && !rest.hidden && <AttachButton onFiles={(files) => void attach(files)} />}
      {note && (
        <Notice
          tone={note.tone}
          action={
            note.undo && (
              <Button
                size="sm"
                onClick={() => {
                  note.undo?.()
                  setNote(null)
                }}
              >
                Keep as text
              </Button>
            )
          }
        >
          {note.text}
        </Notice>
      )}
    </div>
  )
}

/** Uploads pictures one after another and inserts each where the caret was. At the end it names those that are refused. */
function useAttach(box: RefObject<HTMLTextAreaElement | null>, setNote: (note: Note | null) => void) {
  return async (files: readonly File[]) => {
    const insert = box.current && keepCaret(box.current)
    const refused: string[] = []
    for (const file of files) {
      const name = file.name || 'The picture'
      if (file.size > MAX_IMAGE_BYTES) {
        refused.push(`${name} is larger than 5 MiB.`)
        continue
      }
      setNote({ tone: 'info', text: `Uploading ${file.name || 'the picture'} …` })
      // The browser says so to whoever saves now: the card would be without the picture.
      box.current?.setCustomValidity('The picture is not there yet. Save when it is in the text.')
      try {
        const { url } = await uploadImage(file)
        if (box.current) insert?.(`![${altOf(file)}](${url})`)
        setNote({ tone: 'info', text: 'The picture is in the text. It is kept without its metadata.' })
      } catch (error) {
        const why = error instanceof Error ? error.message : 'The picture was not taken.'
        refused.push(files.length > 1 ? `${name}: ${why}` : why)
      } finally {
        box.current?.setCustomValidity('')
      }
    }
    if (refused.length > 0) setNote({ tone: 'bad', text: refused.join(' ') })
  }
}

const ACCEPTED = 'image/png,image/jpeg,image/webp,image/gif'

function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  return (
    <label className="w-fit rounded-sm text-xs text-faint hover:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent">
      Add a picture
      <input
        type="file"
        accept={ACCEPTED}
        multiple
        className="sr-only"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </label>
  )
}
