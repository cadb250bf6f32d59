import { storable } from '../text/unicode.ts'

export const USER_PREFERENCES_KEY = '__user__/preferences'

export type ProjectName = SpelledName & {
  /** The spelling under which older projects are stored. */
  earlier?: SpelledName
}
type SpelledName =
  | { form: 'remote'; key: string; host: string; path: string }
  | { form: 'path'; key: string; path: string }
  | { form: 'plain'; key: string }
  | { form: 'user_preferences'; key: typeof USER_PREFERENCES_KEY }

const HOST_ALIASES: Record<string, string> = {
  'www.github.com': 'github.com',
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
  'ssh.dev.azure.com': 'dev.azure.com',
  'vs-ssh.visualstudio.com': 'dev.azure.com',
}
const SHORTHANDS: Record<string, string> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
}

// A password may contain `@`, so the user part ends at the last `@` before the path.
const REMOTE_URL =
  /^(?:git\+)?(?:https?|ssh|git)(?:\+git)?:\/\/(?:[^/\s]*@)?(\[[0-9a-f:.]+\]|[^/:@\s]+)(?::\d*)?\/(.+)$/i
const SCP_FORM =
  /^(?:[^/@:\s]+@)?([a-z0-9][a-z0-9.-]*\.[a-z0-9-]+|\[[0-9a-f:]+\]|localhost):(?!\/\/)\/?(.+)$/i
const SCP_FORM_WITH_USER = /^[^/@:\s]+@([a-z0-9][a-z0-9.-]*):(?!\/\/)\/?(.+)$/i
const SHORTHAND = /^(github|gitlab|bitbucket):([^/\s]+\/.+)$/i
const HOST_AND_PATH = /^((?:[a-z0-9-]+\.)+[a-z]{2,}|localhost)(?::\d+)?\/(.+)$/i
const ORG_AND_REPO = /^[A-Za-z0-9][A-Za-z0-9._~-]*(?:\/[A-Za-z0-9._~-]+)+$/

/** Keys similar to the reserved key must not be read as the reserved key or as a repository. */
const NEAR_RESERVED = /^__user__/i

export const MAX_KEY_LENGTH = 1000
/** The limit for new keys, in bytes: a PostgreSQL index entry has at most 2,704 bytes. */
export const MAX_KEY_BYTES = 2000

/** Parses a project key. All spellings of one repository give one name. */
export function readProjectKey(written: string): ProjectName {
  const spelled = spelledName(written)
  const name = composed(spelled)
  if (name.form === 'remote' && (NEAR_RESERVED.test(name.host) || NEAR_RESERVED.test(name.path)))
    return { form: 'plain', key: written.trim().normalize('NFC') }
  return name.key === spelled.key ? name : { ...name, earlier: spelled }
}

/** macOS writes `é` as two characters, and an international host name also has an ASCII form. */
function composed(name: SpelledName): SpelledName {
  if (name.form === 'plain') return { ...name, key: name.key.normalize('NFC') }
  if (name.form !== 'remote') return name
  const host = /[^ -~]/.test(name.host) ? inAscii(name.host) : name.host
  const path = name.path.normalize('NFC')
  return { ...name, key: `${host}/${path}`, host, path }
}

/** Works in the browser too, where Node's function for this is missing. */
const inAscii = (host: string): string =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host

function spelledName(written: string): SpelledName {
  const text = written.trim()
  if (text === USER_PREFERENCES_KEY) return { form: 'user_preferences', key: USER_PREFERENCES_KEY }
  if (NEAR_RESERVED.test(text)) return { form: 'plain', key: text }
  return remoteName(text) ?? pathName(text) ?? { form: 'plain', key: text }
}

function remoteName(text: string): SpelledName | undefined {
  const short = SHORTHAND.exec(text)
  if (short) return remote(SHORTHANDS[(short[1] as string).toLowerCase()] as string, short[2] as string)
  for (const form of [REMOTE_URL, HOST_AND_PATH, SCP_FORM, SCP_FORM_WITH_USER]) {
    const found = form.exec(text)
    if (found) return remote(found[1] as string, found[2] as string)
  }
  return undefined
}

function remote(writtenHost: string, writtenPath: string): SpelledName | undefined {
  const lower = writtenHost.toLowerCase().replace(/\.$/, '')
  const host = HOST_ALIASES[lower] ?? lower
  const path = cleanPath(writtenPath)
  if (path === '') return undefined
  const azure = azureName(host, path)
  if (azure) return azure
  return { form: 'remote', key: `${host}/${path}`, host, path }
}

function pathName(text: string): SpelledName | undefined {
  if (!ORG_AND_REPO.test(text.replace(/\/+$/, ''))) return undefined
  const path = cleanPath(text)
  return path.includes('/') ? { form: 'path', key: path, path } : undefined
}

/** Lower-cases the path and removes `.git`, outer slashes, query, fragment and web page suffixes. */
function cleanPath(path: string): string {
  return decoded(path)
    .replace(/[?#].*$/, '')
    .replace(/\/-\/.*$/, '')
    .replace(
      /^([^/]+\/[^/]+)\/(?:tree|blob|commit|commits|issues|pull|pulls|wiki|releases|src)(?:\/.*)?$/i,
      '$1',
    )
    .replace(/\/{2,}/g, '/')
    .replace(/^\/|\/+$/g, '')
    .replace(/\.git$/i, '')
    .replace(/\/+$/, '')
    .toLowerCase()
}

function decoded(path: string): string {
  try {
    // A percent code may decode to NUL.
    return storable(decodeURIComponent(path))
  } catch {
    return path
  }
}

function azureName(host: string, path: string): SpelledName | undefined {
  const old = /^([a-z0-9-]+)\.visualstudio\.com$/.exec(host)
  if (host !== 'dev.azure.com' && !old) return undefined
  let parts = path.split('/')
  if (parts[0] === 'v3') parts = parts.slice(1)
  else if (old) parts = [old[1] as string, ...parts.filter((part) => part !== 'defaultcollection')]
  const git = parts.indexOf('_git')
  // In `org/_git/repo` the project has the same name as the repository.
  if (git === 1) parts = [parts[0] as string, parts[2] ?? '', parts[2] ?? '']
  else if (git > 1) parts = [...parts.slice(0, git), ...parts.slice(git + 1)]
  const name = parts.join('/')
  return { form: 'remote', key: `dev.azure.com/${name}`, host: 'dev.azure.com', path: name }
}

/** A turn is stored as one text with both sides under their headings. */

const MESSAGE = 'User message:\n'
const REPORT = '\n\nAgent report:\n'

/** Indents the heading of a quoted turn, so that the first heading is the real one. */
const QUOTED = /(?<=^|\n)(?=\r*Agent report:\r*\n)/g

export const turnContent = (userMessage: string, agentReport: string): string =>
  `${MESSAGE}${`${userMessage}\n`.replaceAll(QUOTED, ' ').slice(0, -1)}${REPORT}${agentReport}`

/** Clients send a long message's beginning verbatim and then a summary, so only that is compared. */
const COMPARED_CHARACTERS = 3500

const beginning = (message: string) => message.replaceAll(/\s+/g, ' ').trim().slice(0, COMPARED_CHARACTERS)

export function isSameMessage(one: string, other: string): boolean {
  const [first, second] = [turnParts(one).message, turnParts(other).message]
  return first !== null && second !== null && beginning(first) === beginning(second)
}

type TurnParts = { message: string | null; report: string | null }

/** Splits a turn into its parts. A truncated text may lack the report; a text without headings is a report. */
export function turnParts(content: string): TurnParts {
  if (!content.startsWith(MESSAGE)) return { message: null, report: content }
  const at = content.indexOf(REPORT)
  if (at === -1) return { message: content.slice(MESSAGE.length), report: null }
  return { message: content.slice(MESSAGE.length, at), report: content.slice(at + REPORT.length) }
}

const BULLET = /^(?:[-*•]|\d{1,3}[.)])\s+/

export function itemsOf(document: string): string[] {
  const items = document
    .split('\n')
    .map((line) => line.trim().replace(BULLET, '').trim())
    .filter((line) => line !== '')
  return [...new Set(items)]
}

export function documentOf(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

/** Control characters are not stored, so an item without others would leave an empty line. */
const SAID = /[^\s\p{Cc}]/u

export function documentFrom(given: string | readonly string[]): string {
  if (typeof given === 'string') return given
  return documentOf(given.map(onOneLine).filter((item) => SAID.test(item)))
}

/** Matches bullets, which models send with some lists. A number stays, because it may be part of the item. */
const MARK = /^[-*•]\s+/

/** Splits the text: a pattern for space around line ends would take minutes over 100,000 tabs. */
const onOneLine = (item: string): string =>
  item
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
    .replace(MARK, '')

export const itemNamed = (items: ReadonlySet<string>, named: string): string | undefined =>
  [named.trim(), onOneLine(named), itemsOf(named)[0]].find((item) => item !== undefined && items.has(item))

type Merge = { items: string[]; copied: number; skipped: number }

/** Merges items: the target keeps its order, new items come after it. */
export function mergeItems(target: readonly string[], added: readonly string[]): Merge {
  const present = new Set(target)
  const fresh = added.filter((item) => !present.has(item))
  return { items: [...target, ...fresh], copied: fresh.length, skipped: added.length - fresh.length }
}
