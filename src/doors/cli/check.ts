import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import {
  bareName,
  type Cite,
  citeText,
  type Fits,
  fitsOf,
  isBelowRange,
  isSameRelease,
  readCite,
  readRange,
  readVersion,
} from '../../shared/cites.ts'
import { cardIdOf } from './card-actions.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { readGiven } from './input.ts'
import { gitVariables, trustedFolder } from './local-files.ts'
import { type Locked, readLocked, versionKey } from './lock-files.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import { asCommandError, paint, plain, print, printJson, warn } from './terminal.ts'
import { ask, failure } from './vault-client.ts'

type FileCite = Extract<Cite, { kind: 'file' }>

const MAX_FILE_BYTES = 8 * 1024 * 1024

function git(folder: string, args: string[], input = ''): string | undefined {
  try {
    return execFileSync('git', ['-C', resolve(folder), ...args], {
      cwd: trustedFolder(),
      encoding: 'utf8',
      input,
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['pipe', 'pipe', 'ignore'],
      // Without this, a partial clone would fetch commits of other repositories.
      env: { ...gitVariables(), GIT_NO_LAZY_FETCH: '1' },
    })
  } catch {
    return undefined
  }
}

/** Returns the root of the checkout, or undefined without a checkout or git. */
export const checkoutOf = (folder: string): string | undefined =>
  git(folder, ['rev-parse', '--show-toplevel'])?.trim() || undefined

function knownCommits(root: string, commits: readonly string[]): Set<string> {
  const asked = [...new Set(commits)]
  if (asked.length === 0) return new Set()
  const input = asked.map((commit) => `${commit}^{commit}\n`).join('')
  const lines = git(root, ['cat-file', '--batch-check'], input)?.split('\n') ?? []
  return new Set(asked.filter((_, index) => / commit \d+$/.test(lines[index] ?? '')))
}

/** Returns the first 12 digits of a line's hash; surrounding spaces do not count. */
const lineHash = (line: string): string => createHash('sha256').update(line.trim()).digest('hex').slice(0, 12)

/** Returns the path of a file inside the checkout; links that lead out are not followed. */
function fileInside(root: string, path: string): string | undefined {
  try {
    const real = realpathSync(join(root, path))
    return real.startsWith(realpathSync(root) + sep) && statSync(real).isFile() ? real : undefined
  } catch {
    return undefined
  }
}

const hashesOf = (text: string): Set<string> => new Set(text.split('\n').map(lineHash))

type FileFit = { fits: Fits; why: string }

/** Compares cites of files with a checkout. An unknown commit belongs to another repository. */
function compareFiles(root: string, cites: readonly FileCite[]): (cite: FileCite) => FileFit | null {
  const known = knownCommits(
    root,
    cites.map((cite) => cite.commit),
  )
  const read = new Map<string, Set<string>>()
  return ({ path, commit, lineHash: hash }) => {
    if (!known.has(commit)) return null
    const file = fileInside(root, path)
    if (file === undefined) return { fits: 'older', why: 'the file is gone' }
    if (hash === null) return { fits: 'likely', why: 'the file is there' }
    if (statSync(file).size > MAX_FILE_BYTES) return { fits: 'unknown', why: 'the file is larger than 8 MB' }
    const hashes = read.get(file) ?? hashesOf(readFileSync(file, 'utf8'))
    read.set(file, hashes)
    return hashes.has(hash)
      ? { fits: 'exact', why: 'the line is there' }
      : { fits: 'older', why: 'no line has this text now' }
  }
}

const wrong = (message: string) => new CommandError(message, EXIT.usage)

/** Returns the cite of a line: `src/app.ts:12` → `file:src/app.ts@1a2b3c4d5e6f#0123456789ab`. */
function citeOfLine(written: string, folder: string): string {
  const [, path = '', number = ''] = /^(.+):(\d+)$/.exec(written) ?? []
  if (path === '') throw wrong(`"${written}" is not a line. Write it as src/app.ts:12.`)
  const root = checkoutOf(folder)
  const commit = root && git(root, ['rev-parse', '--short=12', 'HEAD'])?.trim()
  if (!root || !commit) throw wrong(`${folder} is not in a git repository with a commit.`)
  const inside = relative(realpathSync(root), resolve(realpathSync(folder), path)).replaceAll('\\', '/')
  if (inside.startsWith('../') || isAbsolute(inside)) throw wrong(`${path} is not inside ${root}.`)
  const text = git(root, ['show', `HEAD:${inside}`])
  if (text === undefined) throw wrong(`${inside} is not committed. Commit it, then cite it.`)
  const line = text.split('\n')[Number(number) - 1]?.trim()
  if (!line) throw wrong(`Line ${number} of ${inside} is empty or not committed. Cite another line.`)
  const cite = citeText({ kind: 'file', path: inside, commit, lineHash: lineHash(line) })
  if (readCite(cite) === null)
    throw wrong(`${inside} cannot be cited: its name has spaces or @, or is too long.`)
  return cite
}

type VerdictGroup = { name: string; version: string; worked: number; failed: number }

/** A card in the answer of `GET /api/v1/cards/cites`. */
type CitingCard = {
  card_id: string
  title: string
  workspace_id: string
  cites: string[]
  trust: { summary: string } | null
  verdicts: VerdictGroup[]
}

export type HeldCite = { cite: string; fits: Fits; why: string }

type HeldCard = {
  card_id: string
  title: string
  workspace_id: string
  fits: Fits
  cites: HeldCite[]
  /** Verdicts for the versions used here. */
  verdicts: VerdictGroup[]
  trust: string | null
}

type PackageCite = Extract<Cite, { kind: 'package' }>
type Versions = ReadonlyMap<string, readonly string[]>

/** Order in which a card's cites decide: one cite that no longer fits is enough. */
const FOR_CARD: readonly Fits[] = ['older', 'exact', 'likely']
/** Order for one cite: one fitting version in the workspaces is enough. */
const FOR_VERSIONS: readonly Fits[] = ['exact', 'likely', 'older']

const first = (order: readonly Fits[], found: readonly Fits[]): Fits =>
  order.find((fits) => found.includes(fits)) ?? 'unknown'

const versionsOf = (versions: Versions, cite: PackageCite): readonly string[] =>
  versions.get(versionKey(cite.ecosystem, cite.name)) ?? []

function whyOf(cite: PackageCite, versions: readonly string[], fits: Fits): string {
  const here = `${versions.join(' and ')} ${versions.length === 1 ? 'is' : 'are'} here`
  const range = readRange(cite.range)
  const isNewer =
    fits === 'unknown' &&
    range !== null &&
    versions.every((version) => isBelowRange(range, readVersion(version) ?? []))
  return isNewer ? `it is about a newer version, ${here}` : here
}

const saidOf = (card: CitingCard, name: string, versions: readonly string[]): VerdictGroup[] =>
  card.verdicts.filter(
    (group) =>
      bareName(group.name) === bareName(name) &&
      versions.some((version) => isSameRelease(version, group.version)),
  )

type Held = HeldCite & { verdicts: VerdictGroup[] }

const PLATFORMS: ReadonlySet<string> = new Set(['runtime', 'os', 'tool'])

/** A runtime without an operator is where the problem was seen, not a limit: its next version is no finding. */
const isWhereItWasSeen = ({ ecosystem, range }: PackageCite): boolean =>
  PLATFORMS.has(ecosystem) && /^v?\d+(?:\.\d+)*$/i.test(range)

function comparePackage(card: CitingCard, text: string, cite: PackageCite, all: Versions): Held[] {
  const versions = versionsOf(all, cite)
  if (versions.length === 0) return []
  const verdicts = saidOf(card, cite.name, versions)
  const fits = first(
    FOR_VERSIONS,
    versions.map((version) =>
      fitsOf({ cites: [text], environment: {}, verdicts: card.verdicts }, { [cite.name]: version }),
    ),
  )
  const hasFailed = verdicts.some(({ worked, failed }) => failed > worked)
  if (fits === 'older' && isWhereItWasSeen(cite) && !hasFailed) {
    const why = `it was seen with ${cite.range}, ${whyOf(cite, versions, fits)}`
    return [{ cite: text, fits: 'unknown', why, verdicts }]
  }
  return [{ cite: text, fits, why: whyOf(cite, versions, fits), verdicts }]
}

type HoldFile = (cite: FileCite) => FileFit | null

/** Returns the result of a card, or null if it cites nothing used here. */
function lockCard(card: CitingCard, versions: Versions, lockFile: HoldFile): HeldCard | null {
  const held = card.cites.flatMap((text): Held[] => {
    const cite = readCite(text)
    if (cite?.kind === 'package') return comparePackage(card, text, cite, versions)
    const fit = cite?.kind === 'file' ? lockFile(cite) : null
    return fit ? [{ cite: text, ...fit, verdicts: [] }] : []
  })
  if (held.length === 0) return null
  const { card_id, title, workspace_id, trust } = card
  return {
    card_id,
    title,
    workspace_id,
    fits: first(
      FOR_CARD,
      held.map(({ fits }) => fits),
    ),
    cites: held.map(({ cite, fits, why }) => ({ cite, fits, why })),
    verdicts: [...new Set(held.flatMap(({ verdicts }) => verdicts))],
    trust: trust?.summary ?? null,
  }
}

/** Returns the cards that cite something of this checkout, with their fit. */
function lockCards(
  cards: readonly CitingCard[],
  versions: Versions,
  checkout: string | undefined,
): HeldCard[] {
  const files = cards
    .flatMap((card) => card.cites.map(readCite))
    .flatMap((cite) => (cite?.kind === 'file' ? [cite] : []))
  const lockFile = checkout === undefined ? () => null : compareFiles(checkout, files)
  return cards.flatMap((card) => lockCard(card, versions, lockFile) ?? [])
}

type Report = {
  folder: string
  read: string[]
  passed_over: { file: string; reason: string }[]
  counts: Record<Fits, number> & { elsewhere: number; with_verdict: number }
  cards: HeldCard[]
}

function reportOf(folder: string, locked: Locked, total: number, cards: HeldCard[]): Report {
  const count = (fits: Fits) => cards.filter((card) => card.fits === fits).length
  return {
    folder,
    read: locked.files,
    passed_over: locked.passedOver,
    counts: {
      older: count('older'),
      exact: count('exact'),
      likely: count('likely'),
      unknown: count('unknown'),
      elsewhere: total - cards.length,
      with_verdict: cards.filter((card) => card.verdicts.length > 0).length,
    },
    cards,
  }
}

const titleOf = (card: HeldCard): string => `  ${card.card_id}  ${plain(card.title)}`

function printCards(heading: string, cards: readonly HeldCard[], below: (card: HeldCard) => string[]): void {
  if (cards.length === 0) return
  print(`\n${heading}`)
  for (const card of cards) {
    print(titleOf(card))
    for (const line of below(card)) print(paint('dim', `    ${line}`))
  }
}

const reasons = (card: HeldCard, fits: Fits): string[] =>
  card.cites.filter((cite) => cite.fits === fits).map(({ cite, why }) => `${plain(cite, 100)}: ${why}`)

const said = ({ verdicts }: HeldCard): string[] =>
  verdicts.map(({ name, version, worked, failed }) => {
    const counts = [worked > 0 ? `worked for ${worked}` : '', failed > 0 ? `failed for ${failed}` : '']
    return `${counts.filter((text) => text !== '').join(', ')} on ${plain(`${name} ${version}`, 60)}`
  })

function printReport({ read, counts, cards }: Report): void {
  const files =
    read.length > 4 ? `${read.slice(0, 3).join(', ')} and ${read.length - 3} more` : read.join(', ')
  const citing = cards.length === 1 ? '1 card cites' : `${cards.length} cards cite`
  print(`${citing} something that is here (${files || 'no lock file'}).`)
  const of = (fits: Fits) => cards.filter((card) => card.fits === fits)
  printCards(paint('red', `No longer fit: ${counts.older}`), of('older'), (card) => reasons(card, 'older'))
  printCards(paint('green', `Fit exactly: ${counts.exact}`), of('exact'), (card) => reasons(card, 'exact'))
  const judged = cards.filter((card) => card.verdicts.length > 0)
  printCards(paint('bold', `With a verdict for these versions: ${counts.with_verdict}`), judged, said)
  print(
    `\nLikely to fit: ${counts.likely}. Not decided: ${counts.unknown}. About other things: ${counts.elsewhere}.`,
  )
}

export type CheckOptions = ProfileOptions & { json?: boolean; cite?: string }

/** For scripts: exit code 1 always means a finding. */
const CHECK_EXIT = { allFit: 0, someNoLongerFit: 1, couldNotCheck: 2 } as const

const PAGE_SIZE = 100
const MAX_PAGES = 1000

async function citingCards({ url, apiKey }: Profile): Promise<CitingCard[]> {
  const cards: CitingCard[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const reply = await ask(url, `/api/v1/cards/cites?page=${page}&page_size=${PAGE_SIZE}`, {
      headers: { 'x-api-key': apiKey },
      shape: { items: [{ card_id: '', title: '', cites: [''], verdicts: [] }] },
    })
    // A vault without this route takes `cites` for a card id.
    if ([404, 422].includes(reply.status))
      throw new CommandError(`${url} does not list what cards cite. It needs a newer version.`)
    if (reply.status !== 200) throw failure(reply)
    const { items } = reply.body as { items: CitingCard[] }
    cards.push(...items)
    if (items.length < PAGE_SIZE) break
  }
  return cards
}

/** Resolves symbolic links, as git does. */
function realFolder(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandError(`${path} is not a folder.`)
  return realpathSync(path)
}

async function reportOn(folder: string, options: CheckOptions): Promise<Report> {
  const profile = requireProfile(options)
  const checkout = checkoutOf(folder)
  const root = checkout ?? folder
  const locked = readLocked(root, folder)
  for (const { file, reason } of locked.passedOver) warn(`${file} ${reason}. Passed over.`)
  if (locked.files.length === 0 && checkout === undefined)
    throw new CommandError(`${root} has no readable lock file and is not in a git repository.`)
  const cards = await citingCards(profile)
  return reportOf(root, locked, cards.length, lockCards(cards, locked.versions, checkout))
}

/** Compares cards with a checkout on this machine; the vault learns nothing about the checkout. */
export async function check(path: string | undefined, options: CheckOptions): Promise<number> {
  const named = resolve(path ?? '.')
  try {
    const folder = realFolder(named)
    if (options.cite !== undefined) {
      const cite = citeOfLine(options.cite, folder)
      if (options.json) printJson({ cite })
      else print(cite)
      return EXIT.done
    }
    const report = await reportOn(folder, options)
    if (options.json) printJson(report)
    else printReport(report)
    return report.counts.older > 0 ? CHECK_EXIT.someNoLongerFit : CHECK_EXIT.allFit
  } catch (error) {
    const known = asCommandError(error)
    throw known ? new CommandError(known.message, CHECK_EXIT.couldNotCheck) : error
  }
}

const OUTCOMES = ['worked', 'failed', 'stale'] as const
type Outcome = (typeof OUTCOMES)[number]

export type VerifyOptions = ProfileOptions & {
  worked?: boolean
  failed?: boolean
  stale?: boolean
  env?: string[]
  note?: string
  evidenceFile?: string
  appliedIn?: string
  json?: boolean
}

type Environment = Record<string, string>

/** Must match the longest evidence that the server accepts, in characters. */
const MAX_EVIDENCE_LENGTH = 20_000

const refuseVerdict = (message: string) => new CommandError(message, EXIT.usage)

function outcomeOf(options: VerifyOptions): Outcome {
  const [outcome, ...more] = OUTCOMES.filter((name) => options[name])
  if (outcome === undefined || more.length > 0)
    throw refuseVerdict('Give one of --worked, --failed and --stale.')
  return outcome
}

function givenEnvironment(given: readonly string[]): Environment {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=')
      const [name, version] = [text.slice(0, Math.max(0, at)).trim(), text.slice(at + 1).trim()]
      if (!name || !version) throw refuseVerdict(`"${text}" is not an environment. Write it as node=24.1.`)
      return [name, version]
    }),
  )
}

/** Reads the cited packages' versions from lock files; nothing else of the checkout is sent. */
function environmentFor(cites: readonly string[], folder: string): Environment {
  const { versions, passedOver } = readLocked(checkoutOf(folder) ?? folder, folder)
  for (const { file, reason } of passedOver) warn(`${file} ${reason}. Passed over.`)
  const environment: Environment = {}
  for (const text of cites) {
    const cite = readCite(text)
    if (cite?.kind !== 'package') continue
    const [version] = versionsOf(versions, cite)
    if (version === undefined) continue
    // Two registries may have packages of the same name. The second package is written with its registry.
    const isTaken = environment[cite.name] !== undefined && environment[cite.name] !== version
    environment[isTaken ? `${cite.ecosystem}:${cite.name}` : cite.name] = version
  }
  return environment
}

async function evidenceFrom(file: string): Promise<string> {
  const text = await readGiven(file, MAX_EVIDENCE_LENGTH)
  if (text.length > MAX_EVIDENCE_LENGTH)
    throw refuseVerdict(`Evidence has at most ${MAX_EVIDENCE_LENGTH} characters. Keep the most useful part.`)
  return text
}

const headersOf = ({ apiKey }: Profile) => ({ 'x-api-key': apiKey })

async function cardOf(profile: Profile, cardId: string): Promise<{ title: string; cites: string[] }> {
  const reply = await ask(profile.url, `/api/v1/cards/${encodeURIComponent(cardId)}`, {
    headers: headersOf(profile),
    shape: { title: '' },
  })
  if (reply.status !== 200) throw failure(reply)
  const { title, cites } = reply.body as { title: string; cites?: string[] }
  return { title, cites: cites ?? [] }
}

type Answer = { card_id: string; environment: Environment; trust: { summary: string } | null }

function printVerdict(outcome: Outcome, title: string, { card_id, environment, trust }: Answer): void {
  const where = Object.entries(environment).map(([name, version]) => plain(`${name} ${version}`))
  print(`Said ${outcome} of ${card_id}  ${plain(title)}`)
  print(where.length > 0 ? `Environment: ${where.join(', ')}` : 'Environment: none')
  if (trust) print(paint('dim', plain(trust.summary, 200)))
}

export async function verifyCard(named: string, options: VerifyOptions): Promise<number> {
  const outcome = outcomeOf(options)
  const profile = requireProfile(options)
  const cardId = cardIdOf(profile, named)
  const given = options.env ? givenEnvironment(options.env) : undefined
  const evidence = options.evidenceFile === undefined ? undefined : await evidenceFrom(options.evidenceFile)
  const { title, cites } = await cardOf(profile, cardId)
  const reply = await ask(profile.url, `/api/v1/cards/${encodeURIComponent(cardId)}/verdicts`, {
    body: {
      outcome,
      environment: given ?? environmentFor(cites, realpathSync(process.cwd())),
      note: options.note,
      evidence,
      applied_in: options.appliedIn,
    },
    headers: headersOf(profile),
    shape: { card_id: '', environment: {} },
  })
  if (reply.status !== 201) throw failure(reply)
  if (options.json) printJson(reply.body)
  else printVerdict(outcome, title, reply.body as Answer)
  return EXIT.done
}
