import { plainName } from '../../core/names.ts'
import { MAX_ECHO } from '../../core/validation.ts'
import { redact } from '../../features/redaction/redact.ts'

/** A secret that goes on behind the last character shown is found as long as it ends in this many. */
const MAX_SCANNED = 1200
/** The scanner knows a value by its name only if it looks random, and a password need not. */
const SECRET_FIELD = /pass|token|secret|key/i
/** Names that the API itself has for what is no secret. */
const PLAIN_FIELD = /^(?:(?:source_|target_|new_)?project_key|key_id)$/
const HIDDEN = '<hidden>'

type Path = readonly PropertyKey[]

const namesSecret = (key: PropertyKey): boolean => {
  const name = String(key).slice(0, MAX_ECHO)
  return SECRET_FIELD.test(name) && !PLAIN_FIELD.test(name)
}

/** Half of an emoji is no character: strict readers of JSON refuse the whole answer because of it. */
const cut = (text: string, most: number): string => text.slice(0, most).toWellFormed()

/** What a caller sent, on its way into an answer. */
export const withoutSecrets = (text: string): string => redact(cut(text, MAX_SCANNED)).text

/** A name or an address that is not known here, on its way back to a model: one short line. */
export const echoName = (name: string): string => cut(plainName(withoutSecrets(name)), MAX_ECHO)

/** `pwd` and others say secret only to the scanner, and only beside a value. */
const isSecretBeside = (name: PropertyKey | undefined, text: string): boolean =>
  typeof name === 'string' &&
  redact(`${name.slice(0, MAX_ECHO)}: "${text.slice(0, MAX_ECHO)}"`).findings.length > 0

function echoText(text: string, path: Path, left: number): string {
  const shown = cut(withoutSecrets(text), left)
  return isSecretBeside(path.at(-1), shown) ? HIDDEN : shown
}

function echoed(value: unknown, path: Path, left: number): unknown {
  if (path.some(namesSecret)) return HIDDEN
  if (typeof value === 'string') return echoText(value, path, left)
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? [] : {}
}

/** One level of a list or an object, as far as the characters reach: those that were sent, since each is scanned. */
function echoInside(value: object, path: Path): unknown {
  let left = MAX_ECHO
  const entries: [string, unknown][] = []
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key]
    const name = cut(withoutSecrets(key), left)
    left -= key.length
    const shown = echoed(item, Array.isArray(value) ? path : [key], Math.max(left, 0))
    left -= Math.max(String(shown).length, typeof item === 'string' ? item.length : 0)
    entries.push([name, shown])
    if (left <= 0) break
  }
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries)
}

/** The offending value is echoed as FastAPI does, but short, and without secrets. */
export function echo(value: unknown, path: Path): unknown {
  const short = echoed(value, path, MAX_ECHO)
  return typeof short === 'object' && short !== null ? echoInside(value as object, path) : short
}
