import { type CardHome, keepLastSearch, readersText, shareWith, stepsOf } from './card-actions.ts'
import { checkoutOf } from './check.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { nameOfGiven, objectIn, readGiven, requireOneOf, requireWorkspaceId, wholeNumber } from './input.ts'
import { KVAULT } from './local-files.ts'
import { environmentOf } from './lock-files.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import { homeOf, type ProjectHome, withFileOfHome } from './project-name.ts'
import { paint, plain, plainLines, print, printJson, warnOfSecret } from './terminal.ts'
import { ask, callTool, failure } from './vault-client.ts'

type Hit = CardHome & {
  card_id: string
  title: string
  symptom?: string
  fix_summary: string
  fits?: string
}
type SearchAnswer = { results: Hit[]; total: number; credits_charged: number; credits_balance: number }

const FOUND = { results: [{ card_id: '', title: '', fix_summary: '', readers: { text: '' } }] }

export type SearchOptions = ProfileOptions & {
  scope?: string
  limit?: string
  tag?: string[]
  environment: boolean
  json?: boolean
}

const DEFAULT_LIMIT = 5
const MAX_RESULTS = 20
const SCOPES = ['personal', 'workspace', 'public']
/** Minimum of characters in a REST search; the tool accepts one. */
const MIN_AT_REST_LENGTH = 3

async function found(profile: Profile, words: string[], options: SearchOptions): Promise<SearchAnswer> {
  const asked = {
    query: words.join(' '),
    limit: wholeNumber('--limit', options.limit, MAX_RESULTS) ?? DEFAULT_LIMIT,
    ...(options.scope ? { scope: options.scope } : { include_workspaces: true }),
    ...(options.tag ? { tags: options.tag } : {}),
  }
  const here = process.cwd()
  const my_environment = options.environment ? environmentOf(checkoutOf(here) ?? here) : {}
  if (Object.keys(my_environment).length === 0 || asked.query.length < MIN_AT_REST_LENGTH)
    return callTool<SearchAnswer>(profile, 'search_records', asked, FOUND)
  const reply = await ask(profile.url, '/api/v1/search', {
    body: { ...asked, my_environment },
    headers: { 'x-api-key': profile.apiKey },
    shape: FOUND,
  })
  if (reply.status !== 200) throw failure(reply)
  return reply.body as SearchAnswer
}

const nothingFound = ({ scope }: SearchOptions): string =>
  `Nothing found. Try fewer or other words${scope === 'personal' ? ', or leave out --scope' : ''}.`

export async function search(words: string[], options: SearchOptions): Promise<number> {
  requireOneOf('--scope', options.scope, SCOPES)
  wholeNumber('--limit', options.limit, MAX_RESULTS)
  const profile = requireProfile(options)
  const answer = await found(profile, words, options)
  // Also without a hit: a number must never mean a card of an earlier search.
  if (!options.json)
    keepLastSearch(
      profile,
      answer.results.map(({ card_id }) => card_id),
    )
  if (options.json) printJson(answer)
  else if (answer.results.length === 0) print(nothingFound(options))
  else {
    await printHits(profile, answer.results)
    if (answer.credits_charged > 0)
      print(paint('dim', `${answer.credits_charged} credits charged, ${answer.credits_balance} left`))
  }
  return EXIT.done
}

const MAX_SYMPTOM = 300

/** Returns what is unusual about a hit: readers outside the team, and whether its versions fit. */
const notesOf = (hit: Hit): string[] => [
  ...(hit.readers.kind === 'everyone' || hit.readers.kind === 'link' ? [readersText(hit)] : []),
  ...(hit.fits && hit.fits !== 'unknown' ? [`fits: ${hit.fits}`] : []),
]

/** Prints the first hit whole, and the title and the beginning of the fix of the others. */
async function printHits(profile: Profile, [first, ...others]: Hit[]): Promise<void> {
  if (!first) return
  const about = (hit: Hit) =>
    notesOf(hit)
      .map((note) => paint('dim', `  (${plain(note)})`))
      .join('')
  const steps = await stepsOf(profile, first.card_id)
  print(`${paint('bold', `1  ${plain(first.title, 200)}`)}${about(first)}`)
  if (first.symptom) print(paint('dim', plain(first.symptom, MAX_SYMPTOM)))
  print(`\n${plainLines(first.fix_summary)}`)
  if (steps) print(`\n${plainLines(steps)}`)
  for (const [at, hit] of others.entries()) {
    print(`\n${paint('bold', `${at + 2}  ${plain(hit.title, 100)}`)}${about(hit)}`)
    print(`   ${plain(hit.fix_summary, 100)}`)
  }
  print(paint('dim', `\nWhole cards: ${KVAULT} show 1${others.length > 0 ? `, show 2` : ''}`))
}

export type RecordOptions = ProfileOptions & {
  title?: string
  symptom?: string
  fix?: string
  type?: string
  rootCause?: string
  tag?: string[]
  workspace?: string
  file?: string
  share?: boolean
  json?: boolean
}

/** Checks the options here: the vault's message would name fields, which are no options. */
function requireWords({ file, title, symptom, fix }: RecordOptions): void {
  const missing = Object.entries({ title, symptom, fix }).filter(([, text]) => text === undefined)
  if (file === undefined && missing.length > 0)
    throw new CommandError(
      `Give ${missing.map(([name]) => `--${name}`).join(', ')}, or the card as JSON with --file.`,
      EXIT.usage,
    )
}

async function cardFrom(options: RecordOptions): Promise<Record<string, unknown>> {
  const given = {
    title: options.title,
    symptom: options.symptom,
    fix_summary: options.fix,
    card_type: options.type,
    root_cause: options.rootCause,
    tags: options.tag,
    workspace_id: options.workspace,
  }
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const { file } = options
  return file === undefined ? stated : { ...objectIn(await readGiven(file), nameOfGiven(file)), ...stated }
}

async function defaultWorkspace(
  profile: Profile,
  ofProject: ProjectHome | undefined,
): Promise<{ workspace_id?: string }> {
  if (ofProject) {
    await (await import('./project.ts')).confirmHome(profile, ofProject)
    return { workspace_id: ofProject.id }
  }
  const { url, apiKey } = profile
  const reply = await ask(url, '/api/v1/auth/me', { headers: { 'x-api-key': apiKey } })
  const { default_workspace_id } = (reply.body ?? {}) as { default_workspace_id?: string | null }
  return reply.status === 200 && default_workspace_id ? { workspace_id: default_workspace_id } : {}
}

type Recorded = CardHome & {
  card_id: string
  workspace_id: string
  title: string
  home_note?: string
  warnings?: { code: string; message: string }[]
}

const RECORDED = { card_id: '', workspace_id: '', title: '', readers: { text: '' } }

/** Shares a card with its team. A failure is only reported: the card is already recorded. */
async function shared(profile: Profile, card: Recorded): Promise<Recorded> {
  try {
    return { ...card, ...(await shareWith(profile, card.card_id, card.workspace_id)) }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw new CommandError(`Recorded ${card.card_id}, but it is not shared: ${error.message}`, error.exitCode)
  }
}

/** Records a card; without a workspace, the project, the key or the settings decide. */
async function recordedAtHome(profile: Profile, given: Record<string, unknown>): Promise<Recorded> {
  const isNamed = given.workspace_id !== undefined
  const ofProject = isNamed ? undefined : homeOf(process.cwd())
  const card = isNamed ? given : { ...given, ...(await defaultWorkspace(profile, ofProject)) }
  try {
    return await callTool<Recorded>(profile, 'record_card', card, RECORDED)
  } catch (error) {
    throw ofProject ? withFileOfHome(error, ofProject) : error
  }
}

export async function record(options: RecordOptions): Promise<number> {
  requireWorkspaceId(options.workspace)
  requireWords(options)
  const profile = requireProfile(options)
  const given = await cardFrom(options)
  const recorded = await recordedAtHome(profile, given)
  const card = options.share ? await shared(profile, recorded) : recorded
  if (options.json) printJson(card)
  else {
    print(`Recorded ${card.card_id}  ${plain(card.title)}`)
    print(paint('dim', `Readers: ${plain(readersText(card))}`))
    if (card.home_note && !card.warnings?.some(({ code }) => code === 'not_shared'))
      print(paint('yellow', card.home_note))
    const kept = card.warnings?.filter(({ code }) => code === 'not_shared') ?? []
    for (const { message } of kept) print(paint('yellow', plain(message, 400)))
    if (kept.length === 0 && card.warnings?.length) warnOfSecret()
  }
  return EXIT.done
}
