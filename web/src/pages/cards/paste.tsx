import {
  type ClipboardEvent,
  type ComponentProps,
  type DragEvent,
  type RefObject,
  useRef,
  useState,
} from 'react'
import { MAX_IMAGE_BYTES } from '#server/shared/image-format.ts'
import { withoutTerminalCodes } from '#server/text/unicode.ts'
import { plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Textarea } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'
import { uploadImage } from './attachments.tsx'
import { insertText, keepCaret, replaceText } from './fields.tsx'
import * as strings from './strings.ts'

type Props = Omit<ComponentProps<'textarea'>, 'onChange' | 'value' | 'maxLength'> & {
  value: string
  onChange: (value: string) => void
  maxLength: number
  /** Markdown: logs and traces become code, and pictures can be pasted. */
  markdown?: boolean
}

type Note = { text: string; tone: 'info' | 'warn' | 'bad'; undo?: (() => void) | undefined }

const altOf = (file: File) => {
  const name = file.name.replace(/\.\w+$/, '').replace(/[[\]`*_]/g, ' ')
  return name === '' || name === 'image' ? strings.picture : name
}

/** Returns the pictures among the files, the reason against them, or null without files. */
function picturesIn(data: DataTransfer, markdown: boolean): File[] | string | null {
  const files = [...data.files]
  const [first] = files
  if (!first) return null
  const pictures = markdown ? files.filter((file) => file.type.startsWith('image/')) : []
  if (pictures.length > 0) return pictures
  return strings.fileNotTaken(first.name || 'The file', markdown ? 'only text and pictures' : 'only text')
}

/** A text box that says how it changed a paste, and undoes it on request. */
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
    const said = done.recognised ? strings.recognisedAs(done.recognised.what) : ''
    const undo = done.recognised
      ? () => box.current && replaceText(box.current, done.text, done.plain)
      : undefined
    const text = [said, cutNote(done.cut, maxLength)].filter(Boolean).join(' ')
    if (text) setNote({ text, tone: done.cut === '' ? 'info' : 'warn', undo: undo && (() => void undo()) })
  }
  // A browser would leave the page to show a dropped file.
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
                {strings.keepAsText}
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

/** Uploads pictures one after another, inserts each at the caret, and names those that are refused. */
function useAttach(box: RefObject<HTMLTextAreaElement | null>, setNote: (note: Note | null) => void) {
  return async (files: readonly File[]) => {
    const insert = box.current && keepCaret(box.current)
    const refused: string[] = []
    for (const file of files) {
      const name = file.name || strings.thePicture
      if (file.size > MAX_IMAGE_BYTES) {
        refused.push(strings.fileTooLarge(name))
        continue
      }
      setNote({ tone: 'info', text: strings.uploading(file.name || 'the picture') })
      // The browser shows this to a person who saves now: the card would lack the picture.
      box.current?.setCustomValidity(strings.pictureNotThere)
      try {
        const { url } = await uploadImage(file)
        if (box.current) insert?.(`![${altOf(file)}](${url})`)
        setNote({ tone: 'info', text: strings.pictureInserted })
      } catch (error) {
        const why = error instanceof Error ? error.message : strings.pictureNotTaken
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
      {strings.addAPicture}
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

type Caret = {
  before: string
  after: string
  maxLength: number
  asCode: boolean
}

type Paste = {
  text: string
  plain: string
  cut: string
  recognised: TextKind | null
}

const cutAt = (text: string, length: number): number => {
  const end = Math.max(0, Math.min(length, text.length))
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && end < text.length ? end - 1 : end
}

/** Returns the text that a paste becomes, or null to leave it to the browser. */
export function pasteInto(pasted: string, { before, after, maxLength, asCode }: Caret): Paste | null {
  const room = maxLength - before.length - after.length
  const plain = withoutTerminalCodes(pasted)
  const recognised = asCode ? recognise(plain) : null
  if (!recognised) {
    if (pasted === plain && plain.length <= room) return null
    const end = cutAt(plain, room)
    return { text: plain.slice(0, end), plain, cut: plain.slice(end), recognised }
  }
  const whole = fenced(plain, recognised.language, before, after)
  if (whole.length <= room) return { text: whole, plain, cut: '', recognised }
  const fenceLength = whole.length - plain.trim().length
  const end = cutAt(plain, Math.max(0, room - fenceLength))
  return {
    text: fenced(plain.slice(0, end), recognised.language, before, after),
    plain,
    cut: plain.slice(end),
    recognised,
  }
}

const SHOWN_CUT = 60

/** Says how much of a paste was cut and where; empty if all of it fitted. */
export const cutNote = (cut: string, maxLength: number): string =>
  cut === ''
    ? ''
    : strings.pasteWasCut(
        plural(maxLength, 'character'),
        plural(cut.length, 'character'),
        cut.trim().slice(0, SHOWN_CUT),
      )

type TextKind = { what: string; language: string }

const MAX_LINES = 200

const linesMatching = (lines: readonly string[], pattern: RegExp) =>
  lines.filter((line) => pattern.test(line)).length

const FRAMES: readonly RegExp[] = [
  /^\s+at (?:async )?[\w.$<>[\] ]{1,200}\(.{1,300}\)$/,
  /^\s+at .{1,300}:\d+:\d+\)?$/,
  /^\s*File ".{1,300}", line \d+/,
  /^\s+from .{1,300}:\d+:in /,
  /^\s*#\d+ +(?:0x[0-9a-f]+ in )?[\w:~<>]+ ?\(/,
  /^\t.{1,300}\.go:\d+(?: \+0x[0-9a-f]+)?$/,
  /^\s+at .{1,300} in .{1,300}:line \d+$/,
  /^\s+\d+: (?:0x[0-9a-f]+ - )?[\w:<>{}]+$/,
]
const TRACE_HEADS =
  /^(?:Traceback \(most recent call last\):|Caused by: |Exception in thread "|goroutine \d+ \[|thread '.{1,100}' panicked at |panic: |[\w.]+(?:Error|Exception): )/

const TIMESTAMP =
  /^\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|\d\d\/\w{3}\/\d{4}[: ]\d\d|\w{3} [ \d]\d \d\d:\d\d:\d\d)/
const LEVEL = /^\W{0,3}(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|LOG)\b/
const PROMPT = /^(?:\$ |❯ |PS [A-Z]:\\|>>> |[\w.-]{1,40}@[\w.-]{1,60}[: ].{0,100}[$#] |C:\\.{0,100}>)/
const OUTPUT =
  /^(?:npm (?:ERR!|error|warn) |error(?:\[E\d+\])?: |error TS\d+: |\S{1,200}\(\d+,\d+\): error |\S{1,200}:\d+:\d+: (?:error|warning): |fatal: |make(?:\[\d+\])?: \*\*\* |FAILED |E {3})/
const DIFF = /^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|--- a\/)/
const MARKDOWN = /^(?: {0,3}```| {0,3}#{1,6} |\s{0,6}[-*+] |\s{0,6}\d{1,3}[.)] |\|.*\|$|> )/

function isJson(text: string): boolean {
  const start = text.trimStart().charAt(0)
  if (start !== '{' && start !== '[') return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Recognises text that loses its shape as prose: stack traces, logs, diffs, output of commands, JSON. A
 * single line has no shape to lose.
 */
export function recognise(text: string): TextKind | null {
  const lines = text
    .split('\n', MAX_LINES)
    .map((line) => line.trimEnd())
    .filter(Boolean)
  if (lines.length < 2 || text.includes('```')) return null
  if (linesMatching(lines, DIFF) > 0 && linesMatching(lines, /^[+-]/) > 0)
    return { what: strings.aDiff, language: 'diff' }
  const frames = lines.filter((line) => FRAMES.some((frame) => frame.test(line))).length
  if (frames >= 2 || (frames === 1 && linesMatching(lines, TRACE_HEADS) > 0))
    return { what: strings.aStackTrace, language: 'text' }
  const logged = linesMatching(lines, TIMESTAMP) + linesMatching(lines, LEVEL)
  if (logged * 2 >= lines.length && logged >= 2) return { what: strings.aLog, language: 'log' }
  if (PROMPT.test(lines[0] ?? '')) return { what: strings.outputOfCommand, language: 'console' }
  if (linesMatching(lines, OUTPUT) > 0 && linesMatching(lines, MARKDOWN) === 0)
    return { what: strings.outputOfCommand, language: 'text' }
  return isJson(text) ? { what: 'JSON', language: 'json' } : null
}

/** A text with a fence of its own is not recognised, so three back ticks are enough. */
export function fenced(text: string, language: string, before: string, after: string): string {
  const open = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  const close = after === '' || after.startsWith('\n') ? '\n' : '\n\n'
  return `${open}\`\`\`${language}\n${text.replace(/^\n+/, '').trimEnd()}\n\`\`\`${close}`
}
