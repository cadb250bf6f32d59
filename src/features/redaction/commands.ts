import { isPlaceholder } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'

/** Commands that take a password by position, not by an operator. */
const HANDOVERS: { after: string; value: RegExp; only?: RegExp }[] = [
  ...[' -u', ' -su', ' -ku', ' -sku'].map((after) => ({
    after,
    value: /[ \t]{0,2}["']?[^\s:"']{1,100}:([^\s"']{4,100})/y,
    only: /curl|wget|http/i,
  })),
  { after: ' -p', value: /["']?([^\s"']{6,100})/y, only: /mysql|mariadb/i },
  { after: ' -p ', value: /["']?([^\s"']{6,100})/y, only: /(?:docker|podman|registry) login/i },
  ...['--user ', '--user='].map((after) => ({
    after,
    value: /["']?[^\s:"']{1,100}:([^\s"']{4,100})/y,
    only: /curl|wget|http/i,
  })),
  { after: 'sshpass -p', value: /[ \t]{0,4}["']?([^\s"']{4,100})/y },
  { after: 'identified by', value: /[ \t]{1,4}["']([^\s"']{4,100})/y },
  {
    after: 'login ',
    value: /[^\s]{1,100}\s{1,20}password\s{1,20}([^\s"']{4,100})/y,
    only: /machine|default/i,
  },
  { after: ':5432:', value: /[^\s:]{1,100}:[^\s:]{1,100}:([^\s:]{4,100})/y },
]

export const handoverKeywords = HANDOVERS.map(({ after }) => after)

export function handedOver(text: string, end: number, index: number): Span | undefined {
  const handover = HANDOVERS[index]
  if (!handover) return undefined
  if (handover.only && !handover.only.test(text.slice(Math.max(0, end - 300), end))) return undefined
  handover.value.lastIndex = end
  const found = handover.value.exec(text)
  const password = found?.[1]
  if (!found || !password || isPlaceholder(password) || !/[A-Za-z]/.test(password)) return undefined
  const stop = found.index + found[0].length
  return { start: stop - password.length, end: stop, kind: 'password', rank: RANK.assigned }
}

export const MANIFEST_KEYWORDS = ['kind: secret', 'kind: "secret', "kind: 'secret"]
const MANIFEST_VALUE =
  /^[ \t]{1,20}["']?[\w.-]{1,100}["']?:[ \t]{1,4}(?:[|>][+-]?[ \t]{0,4}\r?\n[ \t]{1,40}|["']?)([A-Za-z0-9+/]{8,4000}={0,2})["']?[ \t]*\r?$/gm
const WINDOW = 4000

/** The values under `data:` of a Kubernetes manifest of kind Secret, from the end of `kind: Secret`. */
export function manifestSecrets(text: string, end: number): { spans: Span[]; readUntil: number } {
  const from = Math.max(0, end - WINDOW)
  const around = text.slice(from, end + WINDOW)
  const above = around.lastIndexOf('\n---', end - from)
  const below = around.indexOf('\n---', end - from)
  const document = around.slice(above + 1, below === -1 ? undefined : below)
  const readUntil = from + above + 1 + document.length
  const data = /^(?:data|stringData):[ \t]*\r?$/m.exec(document)
  if (!data) return { spans: [], readUntil }
  const dataStart = from + above + 1 + data.index
  const spans: Span[] = []
  for (const found of document.slice(data.index).matchAll(MANIFEST_VALUE)) {
    const value = found[1] as string
    const start = dataStart + found.index + found[0].indexOf(value, found[0].indexOf(':'))
    spans.push({ start, end: start + value.length, kind: 'kubernetes_secret', rank: RANK.named })
  }
  return { spans, readUntil }
}
