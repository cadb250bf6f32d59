import type { Work } from '../../core/work.ts'
import { LONGEST_TOKEN } from './long-tokens.ts'
import { type Finding, redact, sanitise, sanitiseInPieces } from './redact.ts'

/** Gathers what several texts of one record held. */
export class Findings {
  readonly #counts = new Map<string, number>()

  add(findings: readonly Finding[]): void {
    for (const { kind, count } of findings) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count)
  }

  list(): Finding[] {
    return [...this.#counts].map(([kind, count]) => ({ kind, count }))
  }

  get found(): boolean {
    return this.#counts.size > 0
  }
}

/** A text on its way into storage. */
export function cleanText(text: string, findings: Findings): string {
  const clean = sanitise(text)
  findings.add(clean.findings)
  return clean.text
}

/** `cleanText` for long texts, before a transaction begins. */
export async function cleanLongText(work: Work, text: string, findings: Findings): Promise<string> {
  const clean = await sanitiseInPieces(work, text)
  findings.add(clean.findings)
  return clean.text
}

export function cleanOptional(text: string | null | undefined, findings: Findings): string | null {
  return text == null ? null : cleanText(text, findings)
}

/** A number is a secret only where the whole name says so: `max_tokens` and `key` count something. */
const NAME_OF_SECRET =
  /(?:^|[_\s.-]|(?<=[a-z0-9])(?=[A-Z]))(?:(?<password>pass(?:word|wd|phrase|code)?|pwd|passwort|kennwort|contrase(?:n|ñ)a|senha|wachtwoord|mot_?de_?passe|parola|has(?:l|ł)o|пароль|パスワード|密码|密碼|비밀번호)|(?<secret>secret|(?:secret|private|signing|encryption|master)[_\s-]?key)|(?<api_key>(?:api|access|licen[cs]e)[_\s-]?key)|(?<token>(?:access|auth|api|refresh|bearer|session)[_\s-]?token))$/iu
const LONGEST_NAME = 80
const LEAST_DIGITS = 6
const DIGITS = /^\d{6,40}$/

/** The kind of a secret that is a number, or a text of digits alone, in structured data: `{"password": …}`. */
export function kindOfNumber(name: string, value: unknown): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const digits = typeof value === 'number' ? String(Math.abs(value)).replace(/\.|e\+/g, '') : value
  if (digits.length < LEAST_DIGITS || !DIGITS.test(digits) || name.length > LONGEST_NAME) return undefined
  if (new Set(digits).size < 3) return undefined
  const groups = NAME_OF_SECRET.exec(name)?.groups
  return groups && Object.keys(groups).find((kind) => groups[kind] !== undefined)
}

/** Metadata on its way into storage: every text and number in it, together with its key. */
export function cleanJson<T>(value: T, findings: Findings, name = ''): T {
  const kind = kindOfNumber(name, value)
  if (kind !== undefined) {
    findings.add([{ kind, count: 1 }])
    return `<${kind.toUpperCase()}>` as T
  }
  if (typeof value === 'string') return cleanNamed(name, value, findings) as T
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, findings, name)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key, findings), cleanJson(item, findings, key)]),
  ) as T
}

function cleanNamed(name: string, value: string, findings: Findings): string {
  const clean = sanitise(value)
  findings.add(clean.findings)
  if (clean.findings.length > 0 || name === '' || value.length > LONGEST_TOKEN) return clean.text
  const inContext = redact(`${name}: "${clean.text}"`).findings[0]
  if (!inContext) return clean.text
  findings.add([{ kind: inContext.kind, count: 1 }])
  return `<${inContext.kind.toUpperCase()}>`
}
