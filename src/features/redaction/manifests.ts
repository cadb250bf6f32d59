import { isPlaceholder, looksLikePassword } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'

/** Kubernetes manifests of kind Secret, in YAML and JSON, alone and in lists. */
export const YAML_KINDS = ['kind: secret', 'kind: "secret', "kind: 'secret"]
export const JSON_KINDS = [
  '"kind":"secret"',
  '"kind": "secret"',
  '\\"kind\\":\\"secret\\"',
  "'kind': 'secret'",
]

/** A manifest is read this far before and after its kind. */
const WINDOW = 20_000

export type Manifest = { spans: Span[]; readUntil: number }

const BASE64 = /^[A-Za-z0-9+/]{8,20000}={0,2}$/

/** `data` holds base64 alone. `stringData` holds anything, also names of users and hosts. */
function isSecret(value: string, isEncoded: boolean): boolean {
  if (BASE64.test(value)) return isEncoded || !isPlaceholder(value)
  return !isEncoded && value.length >= 6 && !isPlaceholder(value) && looksLikePassword(value)
}

const secretAt = (start: number, value: string): Span => ({
  start,
  end: start + value.length,
  kind: 'kubernetes_secret',
  rank: RANK.named,
})

type Line = { start: number; end: number; indent: number; column: number }

const INDENT = /[ \t]{0,80}/y
const DASHES = /[ \t]{0,80}(?:-[ \t]{1,8}){0,4}/y

/** `column` is where its text begins, behind the dashes of a list. */
function lineAt(text: string, start: number, end: number): Line {
  const widthOf = (pattern: RegExp) => {
    pattern.lastIndex = start
    return pattern.test(text) ? pattern.lastIndex - start : 0
  }
  return { start, end, indent: widthOf(INDENT), column: widthOf(DASHES) }
}

const isBlank = (text: string, { start, end }: Line) =>
  /^\s*$/.test(text.slice(start, Math.min(end, start + 100)))
const isDivider = (text: string, { start }: Line) => text.startsWith('---', start)

function lineBelow(text: string, before: Line): Line | undefined {
  if (before.end >= text.length) return undefined
  const end = text.indexOf('\n', before.end + 1)
  return lineAt(text, before.end + 1, end === -1 ? text.length : end)
}

const lineAbove = (text: string, after: Line): Line | undefined =>
  after.start === 0
    ? undefined
    : lineAt(text, after.start < 2 ? 0 : text.lastIndexOf('\n', after.start - 2) + 1, after.start - 1)

/** The lines of the mapping that a line is in, from `notBefore` on. */
function mappingAround(text: string, kind: Line, notBefore: number): Line[] {
  const above: Line[] = []
  for (let first = kind; first.indent === first.column || first.column !== kind.column; ) {
    const next = lineAbove(text, first)
    if (!next || next.start < notBefore || kind.start - next.start > WINDOW || isDivider(text, next)) break
    if (!isBlank(text, next) && next.column < kind.column) break
    above.push(next)
    first = next
  }
  const below: Line[] = []
  for (let last = kind; ; ) {
    const next = lineBelow(text, last)
    if (!next || next.start - kind.start > WINDOW || isDivider(text, next)) break
    if (!isBlank(text, next) && next.indent < kind.column) break
    below.push(next)
    last = next
  }
  return [...above.reverse(), kind, ...below]
}

const DATA = /^[ \t-]{0,80}(data|stringData):[ \t]{0,20}\r?$/
const KEY = /^[ \t]{1,80}(?:["']?[\w./-]{1,200}["']?:[ \t]{1,8})?/

/** The value in a line, without quotes and the comment after it. */
function valueIn(line: string): { start: number; value: string } {
  const start = KEY.exec(line)?.[0].length ?? 0
  const rest = line.slice(start).trimEnd()
  const quote = rest[0] === '"' || rest[0] === "'" ? rest[0] : undefined
  if (quote) return { start: start + 1, value: rest.slice(1, Math.max(1, rest.indexOf(quote, 1))) }
  const comment = rest.indexOf(' #')
  return { start, value: (comment === -1 ? rest : rest.slice(0, comment)).trimEnd() }
}

export function secretsInYaml(text: string, kindEnd: number, notBefore: number): Manifest {
  if (/[A-Za-z]/.test(text[kindEnd] ?? '')) return { spans: [], readUntil: kindEnd }
  const lineEnd = text.indexOf('\n', kindEnd)
  const kind = lineAt(text, text.lastIndexOf('\n', kindEnd - 1) + 1, lineEnd === -1 ? text.length : lineEnd)
  const spans: Span[] = []
  const lines = mappingAround(text, kind, notBefore)
  let under: 'data' | 'stringData' | undefined
  for (const line of lines) {
    const written = text.slice(line.start, line.end)
    if (line.column === kind.column) under = DATA.exec(written)?.[1] as typeof under
    else if (under) {
      const { start, value } = valueIn(written)
      if (isSecret(value, under === 'data')) spans.push(secretAt(line.start + start, value))
    }
  }
  return { spans, readUntil: lines.at(-1)?.end ?? kindEnd }
}

/** Where the object around a place begins or ends: -1 if not within the window. */
function braceBefore(text: string, at: number, notBefore: number): number {
  let depth = 0
  for (let i = at; i >= Math.max(notBefore, at - WINDOW); i -= 1) {
    if (text[i] === '}') depth += 1
    else if (text[i] === '{' && depth-- === 0) return i
  }
  return -1
}

function braceAfter(text: string, at: number): number {
  let depth = 0
  for (let i = at; i < Math.min(text.length, at + WINDOW); i += 1) {
    if (text[i] === '{') depth += 1
    else if (text[i] === '}' && depth-- === 0) return i
  }
  return Math.min(text.length, at + WINDOW)
}

/** Also in the copy of a manifest that an annotation keeps, with escaped quotes. */
const OBJECT = /(\\{0,3}["'])(data|stringData)\1\s{0,8}:\s{0,8}\{/g
const PAIR = /[\s,]{0,200}(\\{0,3}["'])[\w./ -]{1,200}\1\s{0,8}:\s{0,8}\1([^"'\\\n]{0,20000})\1/y

export function secretsInJson(text: string, kindEnd: number, notBefore: number): Manifest {
  const from = braceBefore(text, kindEnd, notBefore)
  const readUntil = braceAfter(text, kindEnd)
  if (from === -1) return { spans: [], readUntil }
  const spans: Span[] = []
  for (const found of text.slice(from, readUntil).matchAll(OBJECT)) {
    PAIR.lastIndex = from + found.index + found[0].length
    for (let pair = PAIR.exec(text); pair !== null; pair = PAIR.exec(text)) {
      const [whole, quote = '', value = ''] = pair
      if (isSecret(value, found[2] === 'data'))
        spans.push(secretAt(pair.index + whole.length - quote.length - value.length, value))
    }
  }
  return { spans, readUntil }
}
