import { type CardContent, DEFINITION, FIRST_TEXTS } from '../../shared/card-fields.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { requireId, requireWorkspaceId } from './input.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import { paint, plain, print, printJson, printParts } from './terminal.ts'
import { ask, failure } from './vault-client.ts'

type Card = CardContent & {
  card_id: string
  workspace_id: string
  owner_name: string
  evidences: { kind: string; content: string }[]
  cites: string[]
  readers: { text: string }
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
    ['Card', `${card.card_id}\nby ${card.owner_name}; readers: ${card.readers.text}`],
  ])
  if (card.likely_outdated) print(paint('yellow', '\nSeveral people say that it is outdated.'))
  if (card.superseded_by) {
    const { card_id, title } = card.superseded_by
    print(`\n${paint('yellow', `Another card replaces it: ${card_id}  ${plain(title)}`)}`)
  }
}

export type ShowOptions = ProfileOptions & { json?: boolean }

export async function show(cardId: string, options: ShowOptions): Promise<number> {
  requireId('card', cardId)
  const card = await call(requireProfile(options), cardId, '?include_evidences=true')
  if (options.json) printJson(card)
  else printCard(card)
  return EXIT.done
}

export const shareWith = (profile: Profile, cardId: string, workspace_id: string): Promise<Card> =>
  call(profile, cardId, '/share', { workspace_id })

export type ShareOptions = ShowOptions & { workspace?: string }

/** `kvault share`: lets a team read the card, by default the team of its workspace. */
export async function share(cardId: string, options: ShareOptions): Promise<number> {
  requireWorkspaceId(options.workspace)
  requireId('card', cardId)
  const profile = requireProfile(options)
  const workspace_id = options.workspace ?? (await call(profile, cardId)).workspace_id
  const card = await shareWith(profile, cardId, workspace_id)
  if (options.json) printJson(card)
  else {
    print(`Shared ${card.card_id}  ${plain(card.title)}`)
    print(paint('dim', `Readers: ${plain(card.readers.text)}`))
  }
  return EXIT.done
}

const KINDS = ['dangerous', 'instructions', 'secret', 'personal', 'wrong', 'spam', 'other']

export type ReportOptions = ProfileOptions & { kind?: string; note?: string; json?: boolean }

export async function reportCard(cardId: string, options: ReportOptions): Promise<number> {
  if (options.kind === undefined || !KINDS.includes(options.kind))
    throw new CommandError(`--kind is one of ${KINDS.join(', ')}.`, EXIT.usage)
  requireId('card', cardId)
  const { url, apiKey } = requireProfile(options)
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
