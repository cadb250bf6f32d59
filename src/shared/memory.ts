import { storable } from '../text/unicode.ts'

/** The key of the document that holds for all projects of a user. */
export const USER_PREFERENCES_KEY = '__user__/preferences'

/**
 * What a project key names. `remote` is a repository on a host; `path` is a repository whose host is not
 * known (yet); `plain` is any other name, kept as it was written, but for how its letters are composed.
 */
export type ProjectName = SpelledName & {
  /** The same name as it was stored before all spellings of a letter and of a host were one. */
  earlier?: SpelledName
}
type SpelledName =
  | { form: 'remote'; key: string; host: string; path: string }
  | { form: 'path'; key: string; path: string }
  | { form: 'plain'; key: string }
  | { form: 'user_preferences'; key: typeof USER_PREFERENCES_KEY }

/** Other names of the same host, and the prefixes that npm uses. */
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

// A password may contain `@`, so the user ends at the last one before the path.
const REMOTE_URL =
  /^(?:git\+)?(?:https?|ssh|git)(?:\+git)?:\/\/(?:[^/\s]*@)?(\[[0-9a-f:.]+\]|[^/:@\s]+)(?::\d*)?\/(.+)$/i
const SCP_FORM =
  /^(?:[^/@:\s]+@)?([a-z0-9][a-z0-9.-]*\.[a-z0-9-]+|\[[0-9a-f:]+\]|localhost):(?!\/\/)\/?(.+)$/i
const SCP_FORM_WITH_USER = /^[^/@:\s]+@([a-z0-9][a-z0-9.-]*):(?!\/\/)\/?(.+)$/i
const SHORTHAND = /^(github|gitlab|bitbucket):([^/\s]+\/.+)$/i
const HOST_AND_PATH = /^((?:[a-z0-9-]+\.)+[a-z]{2,}|localhost)(?::\d+)?\/(.+)$/i
const ORG_AND_REPO = /^[A-Za-z0-9][A-Za-z0-9._~-]*(?:\/[A-Za-z0-9._~-]+)+$/

/** A near miss of the reserved key must neither become it nor look like a repository, whatever stands before it. */
const NEAR_RESERVED = /^__user__/i

/** The longest accepted key; addresses of repositories are far shorter. */
export const LONGEST_KEY = 1000
/** What a new key may take in an index of PostgreSQL, whose entries have at most 2,704 bytes. */
export const MOST_KEY_BYTES = 2000

/** Reads a key as it was written. All spellings of one repository give one name. */
export function readProjectKey(written: string): ProjectName {
  const spelled = spelledName(written)
  const name = composed(spelled)
  if (name.form === 'remote' && (NEAR_RESERVED.test(name.host) || NEAR_RESERVED.test(name.path)))
    return { form: 'plain', key: written.trim().normalize('NFC') }
  return name.key === spelled.key ? name : { ...name, earlier: spelled }
}

/** A Mac writes `é` as two characters, others as one; a host in letters of its own also has an ASCII form. */
function composed(name: SpelledName): SpelledName {
  if (name.form === 'plain') return { ...name, key: name.key.normalize('NFC') }
  if (name.form !== 'remote') return name
  const host = /[^ -~]/.test(name.host) ? inAscii(name.host) : name.host
  const path = name.path.normalize('NFC')
  return { ...name, key: `${host}/${path}`, host, path }
}

/** The web app reads keys too, so this is not the function that Node has for it. */
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

/** Lower-case, without `.git`, slashes at the ends, query, fragment, or the page of a web address. */
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
    // The codes may stand for a NUL.
    return storable(decodeURIComponent(path))
  } catch {
    return path
  }
}

/** Azure DevOps has four spellings: `org/project/_git/repo`, ssh `v3/org/project/repo`, and the old host. */
function azureName(host: string, path: string): SpelledName | undefined {
  const old = /^([a-z0-9-]+)\.visualstudio\.com$/.exec(host)
  if (host !== 'dev.azure.com' && !old) return undefined
  let parts = path.split('/')
  if (parts[0] === 'v3') parts = parts.slice(1)
  else if (old) parts = [old[1] as string, ...parts.filter((part) => part !== 'defaultcollection')]
  const git = parts.indexOf('_git')
  // In `org/_git/repo` the project has the name of the repository and is left out.
  if (git === 1) parts = [parts[0] as string, parts[2] ?? '', parts[2] ?? '']
  else if (git > 1) parts = [...parts.slice(0, git), ...parts.slice(git + 1)]
  const name = parts.join('/')
  return { form: 'remote', key: `dev.azure.com/${name}`, host: 'dev.azure.com', path: name }
}

/** A turn is stored as one text with both sides under their headings. This writes it and takes it apart again. */

const MESSAGE = 'User message:\n'
const REPORT = '\n\nAgent report:\n'

/** A message may quote a turn. Its heading is indented, so that the first one is ours. Carriage returns are dropped later. */
const QUOTED = /(?<=^|\n)(?=\r*Agent report:\r*\n)/g

export const turnContent = (userMessage: string, agentReport: string): string =>
  `${MESSAGE}${`${userMessage}\n`.replaceAll(QUOTED, ' ').slice(0, -1)}${REPORT}${agentReport}`

/** Clients send the beginning of a long message verbatim and then a summary, so only the beginning is compared. */
const COMPARED_CHARACTERS = 3500

const beginning = (message: string) => message.replaceAll(/\s+/g, ' ').trim().slice(0, COMPARED_CHARACTERS)

/** Whether two turns answer the same message of the person. */
export function isSameMessage(one: string, other: string): boolean {
  const [first, second] = [turnParts(one).message, turnParts(other).message]
  return first !== null && second !== null && beginning(first) === beginning(second)
}

export type TurnParts = { message: string | null; report: string | null }

/** A text that was cut may lack its report; a text without headings is a report. */
export function turnParts(content: string): TurnParts {
  if (!content.startsWith(MESSAGE)) return { message: null, report: content }
  const at = content.indexOf(REPORT)
  if (at === -1) return { message: content.slice(MESSAGE.length), report: null }
  return { message: content.slice(MESSAGE.length, at), report: content.slice(at + REPORT.length) }
}

/** Facts and preferences are documents of lines, one item each. */

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

/** Control characters are not stored: of an item that has nothing else, an empty line would be left. */
const SAID = /[^\s\p{Cc}]/u

/** A caller may send a text, or a list whose items become one `- ` line each. */
export function documentFrom(given: string | readonly string[]): string {
  if (typeof given === 'string') return given
  return documentOf(given.map(onOneLine).filter((item) => SAID.test(item)))
}

/** Models send lists with and without bullets. A number may be part of the item, so it stays. */
const MARK = /^[-*•]\s+/

/** Splits the text, because a pattern for space around line ends would take minutes over a hundred thousand tabs. */
const onOneLine = (item: string): string =>
  item
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
    .replace(MARK, '')

/** The item that a caller means, whether they write it as it was sent or as the document shows it. */
export const itemNamed = (items: ReadonlySet<string>, named: string): string | undefined =>
  [named.trim(), onOneLine(named), itemsOf(named)[0]].find((item) => item !== undefined && items.has(item))

export type Merge = { items: string[]; copied: number; skipped: number }

/** The target keeps its order; new items come after it. */
export function mergeItems(target: readonly string[], added: readonly string[]): Merge {
  const present = new Set(target)
  const fresh = added.filter((item) => !present.has(item))
  return { items: [...target, ...fresh], copied: fresh.length, skipped: added.length - fresh.length }
}
