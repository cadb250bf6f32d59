import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { agreed } from './connect/consent.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { allowLearning } from './hooks/background.ts'
import { requireOneOf } from './input.ts'
import { gitVariables, trustedFolder } from './local-files.ts'
import type { Profile, ProfileOptions } from './profile.ts'
import { projectHere } from './project.ts'
import { endProgress, isInteractive, plain, print, printJson, showProgress } from './terminal.ts'
import { ask, failure, type Reply } from './vault-client.ts'

/** `kvault learn`: hands over what the repository says about why. */

export type LearnOptions = ProfileOptions & {
  pulls?: string
  forget?: boolean
  yes?: boolean
  dryRun?: boolean
  wait?: boolean
  background?: string
  json?: boolean
}

type Commit = { ref: string; kind: string; committed_at: string; message: string; files: string[] }

const COMMITS = '/api/v1/project-context/commits'
const MAX_COMMITS = 10_000
const MAX_BATCH = 200
const MAX_BATCH_CHARACTERS = 1_000_000
const MAX_MESSAGE = 60_000
const MAX_FILES = 100
const MAX_FILE_LENGTH = 500
const MAX_DOCUMENTS = 300
const MAX_SECTIONS = 100
const POLL_MS = 300
/** A vault that reads nothing for so long is busy with others; it goes on by itself. */
const PATIENCE_MS = 10 * 60_000

/** A repository's own settings could start programs, so those of the log are switched off. */
const gitArgs = (folder: string, args: readonly string[]): string[] => [
  '-C',
  folder,
  '--no-pager',
  ...['log.showSignature=false', 'core.fsmonitor=false', 'core.quotePath=false'].flatMap((one) => [
    '-c',
    one,
  ]),
  ...args,
]

const gitOptions = () => ({ cwd: trustedFolder(), env: gitVariables(), maxBuffer: 256 * 1024 * 1024 })

function git(folder: string, args: readonly string[], input?: string): string | undefined {
  try {
    return execFileSync('git', gitArgs(folder, args), {
      ...gitOptions(),
      ...(input === undefined ? {} : { input }),
      stdio: ['pipe', 'pipe', 'ignore'],
    }).toString()
  } catch {
    return undefined
  }
}

const succeeds = (folder: string, ...args: string[]): boolean => git(folder, args) !== undefined

const TRAILER = /^[A-Z][\w-]{1,40}: \S.{0,500}$/
const MIN_BODY = 30
const EXPLAINS =
  /\bBREAKING[ -]CHANGE\b|^\w+(?:\([^)]*\))?!:|^revert\b|\bThis reverts commit\b|(?:^|[\s([])#\d+\b|\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?)\b:?\s+[A-Z]{2,10}-\d+/im
/** Says only which branch came in. */
const MERGE = /^Merge (?:remote-tracking )?(?:branch|commit|tag)\b/

/** Whether a message says more than what was changed. */
export function explains(message: string): boolean {
  const [subject = '', ...rest] = message.split('\n')
  const body = rest
    .filter((line) => !TRAILER.test(line) && !line.startsWith('#'))
    .join(' ')
    .trim()
  if (body.length >= MIN_BODY) return true
  return !MERGE.test(subject) && EXPLAINS.test(message)
}

const RECORD = '\u001e'
const FIELD = '\u001f'
const HASH = /^[0-9a-f]{40,64}$/

function commitOf(record: string): Commit | undefined {
  const [ref = '', committed_at = '', message = '', files = ''] = record.split(FIELD)
  const isWhole = HASH.test(ref) && !Number.isNaN(Date.parse(committed_at))
  if (!isWhole || !explains(message.trim())) return undefined
  const names = files.split('\n').filter((name) => name !== '' && name.length <= MAX_FILE_LENGTH)
  return {
    ref,
    kind: 'commit',
    committed_at,
    message: message.trim().slice(0, MAX_MESSAGE).toWellFormed(),
    // A change of everything says nothing about one file.
    files: names.length > MAX_FILES ? [] : names,
  }
}

async function* recordsOf(child: ChildProcess): AsyncGenerator<string> {
  let rest = ''
  child.stdout?.setEncoding('utf8')
  for await (const chunk of child.stdout ?? []) {
    const records = (rest + chunk).split(RECORD)
    rest = records.pop() ?? ''
    yield* records
  }
  yield rest
}

/** Yields the commits of a range that explain something, newest first. */
async function* commitsOf(folder: string, range: readonly string[]): AsyncGenerator<Commit> {
  const format = `--format=${RECORD}%H${FIELD}%cI${FIELD}%B${FIELD}`
  const child = spawn(
    'git',
    gitArgs(folder, ['log', '--no-ext-diff', '--no-textconv', '--name-only', format, ...range, '--']),
    { ...gitOptions(), stdio: ['ignore', 'pipe', 'ignore'] },
  )
  child.once('error', () => {})
  let found = 0
  try {
    for await (const record of recordsOf(child)) {
      const commit = commitOf(record)
      if (!commit) continue
      yield commit
      found += 1
      if (found >= MAX_COMMITS) return
    }
  } finally {
    child.kill()
  }
}

type Plan = { range: string[]; replace: boolean }

/** Decides what to read: what came after the last reading, or everything if history was rewritten since. */
export function planOf(folder: string, head: string, known: string | null): Plan {
  if (known === null) return { range: [head], replace: false }
  if (succeeds(folder, 'cat-file', '-e', `${known}^{commit}`)) {
    const isBefore = succeeds(folder, 'merge-base', '--is-ancestor', known, head)
    // Another branch still has it, so nothing was rewritten.
    const isElsewhere = () => git(folder, ['for-each-ref', '--contains', known, '--count=1'])?.trim()
    if (isBefore || isElsewhere()) return { range: [head, `^${known}`], replace: false }
    return { range: [head], replace: true }
  }
  const isShallow = git(folder, ['rev-parse', '--is-shallow-repository'])?.trim() === 'true'
  return { range: [head], replace: !isShallow }
}

const DECISION =
  /(?:^|\/)(?:decisions?|adrs?|rfcs?|decision-records?)\/(?:[^/]+\/)?[^/]+\.(?:mdx?|rst|adoc|txt)$/i
const CHANGELOG = /^(?:[^/]+\/){0,2}(?:changelog|changes|history|news)(?:\.(?:mdx?|rst|adoc|txt))?$/i
const SECTION = /^(?=#{1,2} \S)/m
const MAX_REF_PATH = 150

function documentOf(path: string, committed_at: string, title: string, text: string): Commit {
  const digest = createHash('sha1').update(`${title}\n${text}`).digest('hex').slice(0, 12)
  const name = path.replaceAll(/[^\w./-]/g, '_').slice(-MAX_REF_PATH)
  const message = `${title}\n\n${text}`.slice(0, MAX_MESSAGE).toWellFormed()
  return { ref: `${name}#${digest}`, kind: 'document', committed_at, message, files: [path] }
}

const titleOf = (text: string, path: string): string =>
  /^#{1,3}\s+(.{1,200})$/m.exec(text)?.[1]?.trim() ?? path

function sectionsOf(path: string, text: string, committed_at: string): Commit[] {
  if (!CHANGELOG.test(path)) return [documentOf(path, committed_at, titleOf(text, path), text.trim())]
  return text
    .split(SECTION)
    .map((section) => section.trim())
    .filter((section) => section.split('\n').length > 1)
    .slice(0, MAX_SECTIONS)
    .map((section) => documentOf(path, committed_at, `${path}: ${titleOf(section, path)}`, section))
}

/** Returns the time of the last change of each path. */
function changesOf(folder: string, paths: readonly string[], head: string): Map<string, string> {
  const times = new Map<string, string>()
  const log =
    git(folder, ['log', '-2000', '--name-only', `--format=${RECORD}%cI`, head, '--', ...paths]) ?? ''
  for (const record of log.split(RECORD)) {
    const [time = '', ...names] = record.split('\n')
    for (const name of names) if (name && !times.has(name)) times.set(name, time)
  }
  return times
}

/** Returns records of decisions and changelogs of the newest commit. */
export function documentsOf(folder: string, head: string): Commit[] {
  const paths = (git(folder, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', head]) ?? '')
    .split('\0')
    .filter((path) => path.length <= MAX_FILE_LENGTH && (DECISION.test(path) || CHANGELOG.test(path)))
    .slice(0, MAX_DOCUMENTS)
  if (paths.length === 0) return []
  const times = changesOf(folder, paths, head)
  const committed = git(folder, ['log', '-1', '--format=%cI', head])?.trim() ?? new Date().toISOString()
  return paths
    .flatMap((path) => {
      const text = git(folder, ['show', '--no-textconv', `${head}:${path}`]) ?? ''
      return text.trim() === '' ? [] : sectionsOf(path, text, times.get(path) ?? committed)
    })
    .slice(0, MAX_DOCUMENTS)
}

/** Reads what `gh pr list --state merged --json number,title,body,mergedAt,files` writes. */
function pullsIn(file: string): Commit[] {
  let list: unknown
  try {
    list = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(
      `${file} cannot be read as JSON: ${error instanceof Error ? error.message : error}`,
    )
  }
  if (!Array.isArray(list))
    throw new CommandError(`${file} is no list of pull requests. Write it with: gh pr list --json …`)
  return list.flatMap(({ number, title, body, mergedAt, files }) => {
    if (!Number.isInteger(number) || typeof title !== 'string' || typeof mergedAt !== 'string') return []
    const message = `${title}\n\n${typeof body === 'string' ? body : ''}`.trim().slice(0, MAX_MESSAGE)
    const names = Array.isArray(files)
      ? files.flatMap((one) => (typeof one?.path === 'string' ? one.path : []))
      : []
    return [
      {
        ref: `pull/${number}`,
        kind: 'pull_request',
        committed_at: mergedAt,
        message: message.toWellFormed(),
        files: names.filter((name) => name !== '' && name.length <= MAX_FILE_LENGTH).slice(0, MAX_FILES),
      },
    ]
  })
}

type Known = { head: string | null; total: number; waiting: number; problem: string | null }
const KNOWN = { total: 0, waiting: 0 }

async function knownOf({ url, apiKey }: Profile, key: string): Promise<Known> {
  const query = new URLSearchParams({ project_key: key, limit: '1' })
  const headers = { 'x-api-key': apiKey }
  const reply = await ask(url, `${COMMITS}?${query}`, { headers, shape: KNOWN })
  if (reply.status !== 200) throw failure(reply)
  const { head, total, waiting, problem } = reply.body as Known
  return { head, total, waiting, problem }
}

/** Returns the time to wait in ms if the vault has enough for the moment. */
function busyFor({ status, headers }: Reply): number | undefined {
  if (status !== 429) return undefined
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : POLL_MS * 5
}

async function send({ url, apiKey }: Profile, body: object): Promise<void> {
  for (const began = Date.now(); ; ) {
    const reply = await ask(url, COMMITS, { body, headers: { 'x-api-key': apiKey } })
    if (reply.status < 300) return
    const busyMs = busyFor(reply)
    if (busyMs === undefined || Date.now() - began > PATIENCE_MS) throw failure(reply)
    await wait(busyMs)
  }
}

async function* batchesOf(commits: AsyncIterable<Commit>): AsyncGenerator<Commit[]> {
  let [batch, characters]: [Commit[], number] = [[], 0]
  for await (const commit of commits) {
    const length = commit.message.length + commit.files.join().length
    if (batch.length > 0 && (batch.length >= MAX_BATCH || characters + length > MAX_BATCH_CHARACTERS)) {
      yield batch
      ;[batch, characters] = [[], 0]
    }
    batch.push(commit)
    characters += length
  }
  yield batch
}

async function* everything(folder: string, head: string, plan: Plan, pulls: readonly Commit[]) {
  yield* commitsOf(folder, plan.range)
  yield* documentsOf(folder, head)
  yield* pulls
}

type Learned = { sent: number; total: number; waiting: number; problem: string | null }

/** Hands over what is new in a checkout. */
export async function learnFrom(
  folder: string,
  { key, profile }: { key: string; profile: Profile },
  { pulls = [], waits, tell = () => {} }: { pulls?: Commit[]; waits: boolean; tell?: (sent: number) => void },
): Promise<Learned> {
  const head = git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])?.trim()
  const known = await knownOf(profile, key)
  if (!head || (head === known.head && pulls.length === 0)) return { sent: 0, ...known }
  const plan = planOf(folder, head, known.head)
  const reading_id = randomUUID()
  let [sent, last]: [number, Commit[] | undefined] = [0, undefined]
  const hand = async (commits: Commit[], end?: object) => {
    await send(profile, { project_key: key, reading_id, commits, ...(end ? { end } : {}) })
    sent += commits.length
    tell(sent)
  }
  for await (const batch of batchesOf(everything(folder, head, plan, pulls))) {
    if (last) await hand(last)
    last = batch
  }
  await hand(last ?? [], { head, replace: plan.replace })
  return { sent, ...(waits ? await untilRead(profile, key) : await knownOf(profile, key)) }
}

async function untilRead(profile: Profile, key: string): Promise<Known> {
  for (const began = Date.now(); ; ) {
    const known = await knownOf(profile, key)
    if (known.waiting === 0 || Date.now() - began > PATIENCE_MS) return known
    await wait(POLL_MS)
  }
}

async function forget({ key, profile }: { key: string; profile: Profile }, options: LearnOptions) {
  const name = plain(key, 200)
  if (!(await agreed(`Delete everything that was learned from the repository ${name}?`, options))) {
    print('Nothing changed.')
    return EXIT.byHand
  }
  const query = new URLSearchParams({ project_key: key, confirmed_by_user: 'true' })
  const headers = { 'x-api-key': profile.apiKey }
  const reply = await ask(profile.url, `${COMMITS}?${query}`, { method: 'DELETE', headers })
  if (reply.status !== 200 && reply.status !== 404) throw failure(reply)
  print('Deleted.')
  return EXIT.done
}

async function showPlan(folder: string, pulls: readonly Commit[], options: LearnOptions): Promise<number> {
  const head = git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])?.trim()
  const found: Commit[] = [...pulls]
  const plan = { range: [head ?? ''], replace: false }
  if (head) for await (const one of everything(folder, head, plan, [])) found.push(one)
  if (options.json) printJson(found)
  else {
    for (const { ref, message } of found) print(`${plain(ref, 40)}  ${plain(message.split('\n')[0] ?? '')}`)
    print(`${found.length} would be sent at most; what the vault knows is not sent again.`)
  }
  return EXIT.done
}

const words = ({ sent, total, waiting, problem }: Learned): string =>
  [
    sent === 0 ? 'Nothing new.' : `${sent} sent.`,
    `The vault knows ${total} commits and records of this repository.`,
    ...(waiting > 0 ? ['It is still reading.'] : []),
    ...(problem ? [problem] : []),
  ].join(' ')

/** Decides whether sessions learn by themselves; returns undefined if that was not asked. */
function chooseBackground({ background }: LearnOptions): number | undefined {
  if (background === undefined) return undefined
  requireOneOf('--background', background, ['on', 'off'])
  allowLearning(background === 'on')
  print(
    background === 'on'
      ? 'Each session learns the history of the repository that it starts in.'
      : 'No session learns by itself. What was learned stays.',
  )
  return EXIT.done
}

export async function learn(options: LearnOptions): Promise<number> {
  const chosen = chooseBackground(options)
  if (chosen !== undefined) return chosen
  const folder = process.cwd()
  if (!succeeds(folder, 'rev-parse', '--git-dir'))
    throw new CommandError('This folder is in no git repository.', EXIT.usage)
  const pulls = options.pulls === undefined ? [] : pullsIn(options.pulls)
  if (options.dryRun) return showPlan(folder, pulls, options)
  const home = await projectHere(options)
  if (options.forget) return forget(home, options)
  const tell = (sent: number) => isInteractive() && showProgress(sent, sent, 'commits sent')
  const learned = await learnFrom(folder, home, { pulls, waits: options.wait !== false, tell })
  if (isInteractive()) endProgress()
  if (options.json) printJson({ project_key: home.key, ...learned })
  else print(words(learned))
  return EXIT.done
}
