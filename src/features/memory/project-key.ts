import { storable } from '../../core/storable.ts'

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
