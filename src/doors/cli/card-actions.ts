import { join } from 'node:path'
import { type CardContent, DEFINITION, FIRST_TEXTS } from '../../shared/card-fields.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { requireId, requireWorkspaceId } from './input.ts'
import { isUuid, KVAULT, settingsFolder, settingsIn } from './local-files.ts'
import { type Profile, type ProfileOptions, requireProfile, writePrivate } from './profile.ts'
import { fileReason, paint, plain, print, printJson, printParts, warn } from './terminal.ts'
import { ask, failure } from './vault-client.ts'
import { listWorkspaces, teamsToShareWith } from './workspaces.ts'

/** Where a card is, and who reads it. */
export type CardHome = {
  home?: { kind: string; name: string | null; published_from?: { name: string } }
  readers: { kind?: string; text: string }
}

/** Names the team that published the card, in place of its readers, who are everyone. */
export function readersText({ home, readers }: CardHome): string {
  const { published_from: team, kind, name } = home ?? {}
  return team ? `${team.name}, also in ${kind === 'library' ? 'the library' : name}` : readers.text
}

type Card = CardContent &
  CardHome & {
    card_id: string
    workspace_id: string
    status: string
    owner_name: string
    evidences: { kind: string; content: string }[]
    cites: string[]
    superseded_by?: { card_id: string; title: string } | null
    likely_outdated: boolean
  }

const READ = {
  card_id: '',
  workspace_id: '',
  title: '',
  symptom: '',
  fix_summary: '',
  steps: [],
  environment: {},
  tags: [],
  cites: [],
  readers: { text: '' },
}

export const readCard = (profile: Profile, id: string): Promise<Card> => call(profile, id)

async function call({ url, apiKey }: Profile, id: string, path = '', body?: unknown): Promise<Card> {
  const reply = await ask(url, `/api/v1/cards/${encodeURIComponent(id)}${path}`, {
    headers: { 'x-api-key': apiKey },
    shape: READ,
    ...(body === undefined ? {} : { body }),
  })
  if (reply.status !== 200) throw failure(reply)
  return reply.body as Card
}

/** Returns the texts after the symptom, under their labels. */
export const solutionOf = (card: Pick<CardContent, (typeof FIRST_TEXTS)[number]>): [string, string][] =>
  FIRST_TEXTS.filter((field) => field !== 'symptom').map((field) => {
    const { label, brief = label }: { label: string; brief?: string } = DEFINITION[field]
    return [brief, card[field] ?? '']
  })

const inOrder = ({ steps }: Card): string =>
  steps
    .toSorted((a, b) => a.order - b.order)
    .map(({ action, result }, at) => `${at + 1}. ${action}${result ? `\n   → ${result}` : ''}`)
    .join('\n')

function printCard(card: Card): void {
  const environment = Object.entries(card.environment).map(([name, value]) => `${name}: ${value}`)
  printParts(card.title, card.symptom, [
    ...solutionOf(card),
    ['Steps', inOrder(card)],
    ['Notes', card.body ?? ''],
    ...card.evidences.map(({ kind, content }): [string, string] => [`Evidence: ${kind}`, content]),
    ['Environment', environment.join('\n')],
    ['Where it applies', card.scope_notes ?? ''],
    ['Cites', card.cites.join('\n')],
    ['Tags', card.tags.join(', ')],
    ['Card', `${card.card_id}\nby ${card.owner_name}; readers: ${readersText(card)}`],
  ])
  if (card.likely_outdated) print(paint('yellow', '\nSeveral people say that it is outdated.'))
  if (card.superseded_by) {
    const { card_id, title } = card.superseded_by
    print(`\n${paint('yellow', `Another card replaces it: ${card_id}  ${plain(title)}`)}`)
  }
}

/** Returns the steps of a card as text; empty if the card cannot be read. */
export async function stepsOf(profile: Profile, cardId: string): Promise<string> {
  try {
    return inOrder(await call(profile, cardId))
  } catch (error) {
    if (error instanceof CommandError) return ''
    throw error
  }
}

/** The card ids of the last search at each vault, by address. */
const lastSearchFile = () => join(settingsFolder(), 'last-search.json')

/** Keeps the order of the hits for `kvault show 2`. A failure costs the numbers only. */
export function keepLastSearch({ url }: Profile, cardIds: readonly string[]): void {
  try {
    const all = { ...settingsIn(lastSearchFile()), [url]: cardIds }
    writePrivate(lastSearchFile(), `${JSON.stringify(all, null, 2)}\n`)
  } catch (error) {
    warn(`The hits cannot be opened by their numbers: ${fileReason(error) ?? error}.`)
  }
}

/** Returns the id of a card that is named by its id, or by its number in the last search. */
export function cardIdOf({ url }: Profile, given: string): string {
  if (!/^\d{1,2}$/.test(given)) {
    requireId('card', given)
    return given
  }
  const ids = settingsIn(lastSearchFile())?.[url]
  const id: unknown = Array.isArray(ids) ? ids[Number(given) - 1] : undefined
  if (typeof id === 'string' && isUuid(id)) return id
  const count = Array.isArray(ids) ? ids.length : undefined
  throw new CommandError(
    count === undefined
      ? `There is no search at ${url} to take number ${given} from. Run: ${KVAULT} search <words>`
      : `The last search at ${url} has ${count} ${count === 1 ? 'hit' : 'hits'}, no number ${given}.`,
    EXIT.usage,
  )
}

export type ShowOptions = ProfileOptions & { json?: boolean }

export async function show(given: string, options: ShowOptions): Promise<number> {
  const profile = requireProfile(options)
  const card = await call(profile, cardIdOf(profile, given), '?include_evidences=true')
  if (options.json) printJson(card)
  else printCard(card)
  return EXIT.done
}

export const shareWith = (profile: Profile, cardId: string, workspace_id: string): Promise<Card> =>
  call(profile, cardId, '/share', { workspace_id })

/** Returns the team that the card is in, else the only private team that the person may share with. */
async function teamFor(profile: Profile, { workspace_id }: Card): Promise<string> {
  const spaces = await listWorkspaces(profile)
  if (spaces.find((one) => one.workspace_id === workspace_id)?.type !== 'personal') return workspace_id
  const teams = teamsToShareWith(spaces)
  const [only, ...others] = teams
  if (!only)
    throw new CommandError(
      'You are editor or admin of no private team. Create one in the web app, or name a workspace with --workspace.',
    )
  if (others.length === 0) return only.workspace_id
  const names = teams.map((one) => `  ${one.workspace_id}  ${plain(one.name, 44)}`).join('\n')
  throw new CommandError(`You have several teams. Name one with --workspace:\n${names}`, EXIT.usage)
}

export type ShareOptions = ShowOptions & { workspace?: string }

/** `kvault share`: lets a team read the card, by default the team of its workspace, else the only one. */
export async function share(given: string, options: ShareOptions): Promise<number> {
  requireWorkspaceId(options.workspace)
  const profile = requireProfile(options)
  const cardId = cardIdOf(profile, given)
  const workspace_id = options.workspace ?? (await teamFor(profile, await call(profile, cardId)))
  const card = await shareWith(profile, cardId, workspace_id)
  if (options.json) printJson(card)
  else {
    print(`Shared ${card.card_id}  ${plain(card.title)}`)
    print(paint('dim', `Readers: ${plain(readersText(card))}`))
  }
  return EXIT.done
}

const KINDS = ['dangerous', 'instructions', 'secret', 'personal', 'wrong', 'spam', 'other']

export type ReportOptions = ProfileOptions & { kind?: string; note?: string; json?: boolean }

export async function reportCard(given: string, options: ReportOptions): Promise<number> {
  if (options.kind === undefined || !KINDS.includes(options.kind))
    throw new CommandError(`--kind is one of ${KINDS.join(', ')}.`, EXIT.usage)
  const profile = requireProfile(options)
  const { url, apiKey } = profile
  const cardId = cardIdOf(profile, given)
  const reply = await ask(url, `/api/v1/cards/${encodeURIComponent(cardId)}/report`, {
    body: { kind: options.kind, ...(options.note === undefined ? {} : { note: options.note }) },
    headers: { 'x-api-key': apiKey },
    shape: { card_id: '', kind: '' },
  })
  if (reply.status !== 201) throw failure(reply)
  if (options.json) printJson(reply.body)
  else print(`Reported ${cardId}. Moderators read it without your name.`)
  return EXIT.done
}
