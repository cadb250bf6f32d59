import { mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readProjectKey } from '../../../shared/memory.ts'
import { isGood, jsonIn, request, textOf } from '../http-request.ts'
import { KVAULT, settingsFolder } from '../local-files.ts'
import { type Profile, writePrivate } from '../profile.ts'
import {
  isPassingName,
  keptNameOf,
  keptNames,
  ownKey,
  type ProjectFile,
  readProjectFiles,
  remoteKey,
} from '../project-name.ts'
import { read, waitingFiles } from './spool.ts'
import { fileNameFor, withLock } from './state.ts'

/**
 * A stranger's folder could name the person's project to read and write its memory. A key is allowed by the
 * person, or while neither this machine nor the vault has such a project.
 */
export type NamedProject = { key: string; folder: string }

/** The stored decision about a folder's key. */
type Decision = {
  folder: string
  key: string
  /** `allowed` or `declined` by the person; `new`: nothing had this key yet at this vault. */
  state: 'allowed' | 'new' | 'withheld' | 'declined'
  vault?: string
  /** When a new key was last compared with the projects that there are, in ms. */
  checkedAt?: number
  /** The agent has been told about the withheld key. */
  isTold?: boolean
}

/** `withheld` is the file's key if it is not allowed. */
export type FoundProject = { key: string; withheld?: NamedProject }

const LOOK_MS = 5000
const LOCK = { patienceMs: 400, staleMs: 2000 }

const decisionsFolder = (): string => join(settingsFolder(), 'projects')

const decisionFile = (folder: string): string => join(decisionsFolder(), `${fileNameFor(folder)}.json`)

function decisionIn(file: string): Decision | undefined {
  try {
    const { folder, key, state, vault, checkedAt, isTold } = JSON.parse(readFileSync(file, 'utf8'))
    return typeof folder === 'string' && typeof key === 'string'
      ? { folder, key, state, vault, checkedAt, isTold }
      : undefined
  } catch {
    return undefined
  }
}

/** Returns the decision; a changed key needs a new one. */
function decisionOn({ folder, key }: NamedProject): Decision | undefined {
  const decision = decisionIn(decisionFile(folder))
  return decision?.key === key && decision.folder === folder ? decision : undefined
}

const decide = ({ folder, key }: NamedProject, more: Omit<Decision, 'folder' | 'key'>): void =>
  writePrivate(decisionFile(folder), JSON.stringify({ folder, key, ...more }))

export const allowProject = (named: NamedProject): void => decide(named, { state: 'allowed' })
export const declineProject = (named: NamedProject): void =>
  decide(named, { state: 'declined', isTold: true })

/** Whether the person has declined this key for this folder. */
export const isDeclined = (named: NamedProject): boolean => decisionOn(named)?.state === 'declined'

/** Returns the key that the nearest `.kvault.json` names, and its folder. */
export function namedIn({ projectKey, keyFile }: ProjectFile): NamedProject | undefined {
  if (projectKey === undefined || keyFile === undefined) return undefined
  return { key: projectKey, folder: realpathSync(dirname(keyFile)) }
}

/** Whether the key is a repository address: it names an existing checkout, even without any memory yet. */
const isAddress = (key: string): boolean =>
  readProjectKey(key).form === 'remote' || /^\s*(?:[a-z][a-z0-9+.-]*:|[/\\~.]|[^\s/@]+@[^\s/]+:)/i.test(key)

/** Returns all spellings by which the vault finds a project: `org/repo` also finds `https://host/org/repo`. */
function spellingsOf(key: string): string[] {
  const name = readProjectKey(key)
  return [name.key, ...('path' in name ? [name.path] : []), ...(name.earlier ? [name.earlier.key] : [])]
}

const isSame = (a: string, b: string): boolean => {
  const others = spellingsOf(b)
  return spellingsOf(a).some((one) => others.includes(one))
}

function* jsonFilesIn(folder: string): Generator<Record<string, unknown>> {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {
    // No decision is stored yet.
  }
  for (const name of names) {
    if (!name.endsWith('.json')) continue
    try {
      yield JSON.parse(readFileSync(join(folder, name), 'utf8'))
    } catch {
      // Another program has just removed the file.
    }
  }
}

/** Yields the projects of other folders on this machine, and those of waiting exchanges. */
function* keysOfOthers(own: string): Generator<string> {
  for (const { folder, key, state } of jsonFilesIn(decisionsFolder()))
    if (folder !== own && (state === 'allowed' || state === 'new')) yield String(key)
  for (const session of jsonFilesIn(join(settingsFolder(), 'sessions'))) {
    const { project } = session as { project?: { folder?: string; key?: string } }
    if (project?.key && !isInside(project.folder ?? '', own)) yield project.key
  }
  for (const name of waitingFiles()) {
    const key = read(name)?.input.project_key
    if (typeof key === 'string') yield key
  }
  yield* keptNames()
}

const isInside = (folder: string, own: string): boolean => folder === own || folder.startsWith(join(own, '/'))

/** The memory behind a key: the project's stored name, and whether it has events. */
type InMemory = { name: string; hasEvents: boolean }

/** Looks a key up in the person's memory; undefined if the vault does not answer. */
async function findInMemory(
  { url, apiKey }: Partial<Profile> & { url: string },
  key: string,
  timeoutMs: number,
): Promise<InMemory | undefined> {
  if (apiKey === undefined) return undefined
  const { withoutSecrets } = await import('../outgoing.ts')
  const sent = withoutSecrets({ project_key: key }).value.project_key
  const query = new URLSearchParams({ project_key: sent, limit: '1', max_chars_per_event: '200' })
  try {
    const answer = await request(`${url}/api/v1/project-context/events?${query}`, {
      headers: { 'x-api-key': apiKey },
      timeoutMs,
    })
    const { items, project_key: name } = (jsonIn(await textOf(answer)) ?? {}) as Record<string, unknown>
    if (!isGood(answer) || !Array.isArray(items)) return undefined
    return { name: typeof name === 'string' ? name : key, hasEvents: items.length > 0 }
  } catch {
    return undefined
  }
}

/**
 * Whether `org/repo`, which was new for this folder, has become the short name of a repository: a checkout of it
 * is here now, or memory was kept under its address.
 */
async function isRepositoryByNow(
  { key, folder }: NamedProject,
  profile: Partial<Profile> & { url: string },
  timeoutMs: number,
): Promise<boolean> {
  if (readProjectKey(key).form !== 'path') return false
  for (const other of keysOfOthers(folder)) if (isAddress(other) && isSame(other, key)) return true
  const found = await findInMemory(profile, key, timeoutMs)
  return found !== undefined && isAddress(found.name)
}

/** Claims a new project for one folder; of two folders at once, one wins. */
function claim(named: NamedProject, vault: string): boolean {
  mkdirSync(decisionsFolder(), { recursive: true, mode: 0o700 })
  return withLock(join(decisionsFolder(), 'lock'), LOCK, () => {
    const isTaken = [...keysOfOthers(named.folder)].some((key) => isSame(key, named.key))
    decide(named, isTaken ? { state: 'withheld' } : { state: 'new', vault, checkedAt: Date.now() })
    return !isTaken
  })
}

/** `maxAgeMs`: how old the last comparison of a new key with the existing projects may be. */
type LookOptions = { timeoutMs: number; maxAgeMs?: number }

/** Whether the key is allowed in this folder; undefined while the vault is unreachable. */
async function counts(
  named: NamedProject,
  profile: Partial<Profile> & { url: string },
  { timeoutMs, maxAgeMs = 0 }: LookOptions,
): Promise<boolean | undefined> {
  const decision = decisionOn(named)
  if (decision?.state === 'allowed') return true
  // At another vault the same key may belong to an existing project of the person.
  const isNewHere = decision?.state === 'new' && decision.vault === profile.url
  if (isNewHere && Date.now() - (decision.checkedAt ?? 0) < maxAgeMs) return true
  if (isNewHere && !(await isRepositoryByNow(named, profile, timeoutMs))) {
    decide(named, { state: 'new', vault: profile.url, checkedAt: Date.now() })
    return true
  }
  if (decision?.state === 'withheld' || decision?.state === 'declined') return false
  if (!isNewHere && !isAddress(named.key)) {
    const found = await findInMemory(profile, named.key, timeoutMs)
    if (found === undefined) return undefined
    if (!found.hasEvents) return claim(named, profile.url)
  }
  decide(named, { state: 'withheld' })
  return false
}

export async function findProject(
  folder: string,
  profile: Partial<Profile> & { url: string },
  file = readProjectFiles(folder),
  timeoutMs = LOOK_MS,
): Promise<FoundProject> {
  const remote = remoteKey(folder)
  return remote ? { key: remote } : findWithoutRemote(folder, profile, file, { timeoutMs })
}

/** Returns the project of a folder that is known to have no remote. */
export async function findWithoutRemote(
  folder: string,
  profile: Partial<Profile> & { url: string },
  file: ProjectFile,
  options: LookOptions,
): Promise<FoundProject> {
  const named = namedIn(file)
  if (!named) return { key: ownKey(folder) }
  if (isPassingName(named.key) && named.key === keptNameOf(folder)) return { key: named.key }
  const isCounting = await counts(named, profile, options)
  if (isCounting) return { key: named.key }
  return { key: ownKey(folder), ...(isCounting === undefined ? {} : { withheld: named }) }
}

/** Returns the advice about a withheld key, once. The key itself is left out: it may be a prompt injection. */
export function adviceOnce(named: NamedProject): string | undefined {
  const decision = decisionOn(named)
  if (!decision || decision.isTold) return undefined
  const { folder: _, key: __, ...rest } = decision
  decide(named, { ...rest, isTold: true })
  return `The .kvault.json of this folder names a project that nobody has allowed here, so its memory is neither read nor extended: if that is wanted, the person runs \`${KVAULT} allow-project\` in the folder once.`
}
