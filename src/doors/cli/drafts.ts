import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CardContent } from '../../shared/card-fields.ts'
import { DRAFTED_TEXTS } from '../../shared/draft-text.ts'
import { readCard, readersText, solutionOf } from './card-actions.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { nameOfGiven, objectIn, readGiven, requireId, requireOneOf, requireWorkspaceId } from './input.ts'
import { KVAULT } from './local-files.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import {
  asCommandError,
  paint,
  plain,
  print,
  printJson,
  printParts,
  tableOrBlocks,
  warnOfSecret,
} from './terminal.ts'
import { ask, failure } from './vault-client.ts'

export type DraftOptions = ProfileOptions & {
  verdict?: boolean
  card?: string
  workspace?: string
  file?: string
  status?: string
  json?: boolean
}

type Draft = Pick<CardContent, (typeof FIELDS)[number]> & {
  draft_id: string
  evidence: { command: string; success: string; attempts: number }
  looks_like: { card_id: string; title: string } | null
  created_at: string
}

const FIELDS = [...DRAFTED_TEXTS, 'tags'] as const

const SHAPES = {
  list: { items: [{ draft_id: '', title: '' }] },
  draft: { draft_id: '', title: '', symptom: '', fix_summary: '', evidence: { command: '', success: '' } },
  accepted: { card_id: '', outcome: '', title: '' },
  nothing: null,
}

async function call<T>(
  { url, apiKey }: Profile,
  answer: keyof typeof SHAPES,
  path: string,
  body?: unknown,
): Promise<T> {
  const reply = await ask(url, `/api/v1/drafts${path}`, {
    headers: { 'x-api-key': apiKey },
    shape: SHAPES[answer],
    ...(body === undefined ? {} : { body }),
  })
  if (reply.status >= 300) throw failure(reply)
  return reply.body as T
}

const at = (id: string, verb = '') => `/${encodeURIComponent(id)}${verb}`

async function list(profile: Profile, { status = 'open', json }: DraftOptions): Promise<void> {
  const page = await call<{ items: Draft[]; total: number; not_made?: NotMade }>(
    profile,
    'list',
    `?page_size=100&status=${encodeURIComponent(status)}`,
  )
  if (json) return printJson(page)
  const without = status === 'open' ? withoutDraft(page.not_made ?? []) : ''
  if (page.items.length === 0) {
    print(`No drafts. They are made from what your agents solve; ${KVAULT} mine reads old sessions.`)
    return without ? print(without) : undefined
  }
  const rows = page.items.map((draft) => [
    draft.draft_id,
    plain(draft.title, 60),
    draft.looks_like ? `like ${plain(draft.looks_like.title, 30)}` : '',
  ])
  print(tableOrBlocks(['draft', 'title', ''], rows))
  if (without) print(paint('dim', without))
}

export type NotMade = { reason: string; count: number }[]

const REASONS: Readonly<Record<string, string>> = {
  daily_limit: 'over the drafts of a day (three)',
  recorded: 'recorded as a card already',
  storage_full: 'no storage left',
  nothing_changed: 'went away without a change',
  own_slip: 'slips in code that the session itself wrote',
  transient: 'network or timing',
  taken_back: 'the change was taken back',
  test_removed: 'the failing test was removed',
}

/** Says what was solved today without a draft, and why. */
export function withoutDraft(notMade: NotMade): string {
  const known = notMade.filter(({ reason }) => Object.hasOwn(REASONS, reason))
  if (known.length === 0) return ''
  return `Solved today without a draft: ${known.map(({ reason, count }) => `${count} ${REASONS[reason]}`).join(', ')}.`
}

function printDraft(draft: Draft): void {
  const { evidence, looks_like: like } = draft
  printParts(draft.title, draft.symptom, [
    ...solutionOf(draft),
    ['Then', `$ ${evidence.command}\n${evidence.success}`],
  ])
  if (like)
    print(
      `\nThis looks like ${like.card_id}  ${plain(like.title)}\nTo say that it worked: ${KVAULT} drafts accept ${draft.draft_id} --verdict`,
    )
}

type Accepted = { card_id: string; outcome: 'recorded' | 'confirmed'; title: string; has_warnings: boolean }

async function accept(profile: Profile, id: string, words: object, options: DraftOptions): Promise<void> {
  const accepted = await call<Accepted>(profile, 'accepted', at(id, '/accept'), {
    ...words,
    as: options.verdict ? 'verdict' : 'card',
    ...(options.card ? { card_id: options.card } : {}),
    ...(options.workspace ? { workspace_id: options.workspace } : {}),
  })
  if (options.json) return printJson(accepted)
  const did = accepted.outcome === 'recorded' ? 'Recorded' : 'Said worked of'
  print(`${did} ${accepted.card_id}  ${plain(accepted.title)}`)
  if (accepted.outcome === 'recorded') {
    const card = await readCard(profile, accepted.card_id)
    print(paint('dim', `Readers: ${plain(readersText(card))}`))
    if (card.status !== 'published')
      print(paint('dim', `To let a team read it: ${KVAULT} share ${plain(accepted.card_id)}`))
  }
  if (accepted.has_warnings) warnOfSecret()
}

function wordsFrom(text: string, name: string): object {
  const words = objectIn(text, name, ' The draft is as it was.')
  return Object.fromEntries(FIELDS.flatMap((field) => (field in words ? [[field, words[field]]] : [])))
}

const keptText = (id: string, file: string): string =>
  `It is kept. Mend it, then run: ${KVAULT} drafts edit ${id} --file "${file}"`

function openInEditor(draft: Draft): string {
  const editor = process.env.VISUAL || process.env.EDITOR
  if (!editor) throw new CommandError('Set EDITOR, or give the draft with --file.', EXIT.usage)
  const folder = mkdtempSync(join(tmpdir(), 'kvault-draft-'))
  const file = join(folder, 'draft.json')
  const words = Object.fromEntries(FIELDS.map((field) => [field, draft[field]]))
  const text = `${JSON.stringify(words, null, 2)}\n`
  writeFileSync(file, text, { mode: 0o600 })
  // Needs a shell: the editor may have options (`code --wait`).
  const { status } = spawnSync(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
  if (status === 0) return file
  // The person may have saved before the editor was killed.
  if (existsSync(file) && readFileSync(file, 'utf8') !== text)
    throw new CommandError(
      `The editor ended with an error. What you wrote was not sent.\n${keptText(draft.draft_id, file)}`,
    )
  rmSync(folder, { recursive: true, force: true })
  throw new CommandError('The editor ended with an error. The draft is as it was.')
}

/** Lets the person edit a draft; the text stays on disk until the vault has stored it. */
async function editByHand(profile: Profile, id: string, options: DraftOptions): Promise<void> {
  const file = openInEditor(await call<Draft>(profile, 'draft', at(id)))
  try {
    await accept(profile, id, wordsFrom(readFileSync(file, 'utf8'), 'What you wrote'), options)
  } catch (error) {
    const known = asCommandError(error)
    if (!known) throw error
    throw new CommandError(`${known.message}\n${keptText(id, file)}`, known.exitCode)
  }
  rmSync(dirname(file), { recursive: true, force: true })
}

async function edit(profile: Profile, id: string, options: DraftOptions): Promise<void> {
  const { file } = options
  if (file === undefined) await editByHand(profile, id, options)
  else await accept(profile, id, wordsFrom(await readGiven(file), nameOfGiven(file)), options)
}

const STATUSES = ['open', 'accepted', 'dismissed']

const OPTIONS_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ['list', ['status']],
  ['show', []],
  ['accept', ['verdict', 'card', 'workspace']],
  ['edit', ['workspace', 'file']],
  ['dismiss', []],
])
const OF_ALL = ['url', 'key', 'json']

const wrong = (message: string) => new CommandError(message, EXIT.usage)

/** Refuses options that the verb would ignore. */
function requireFitting(verb: string, id: string | undefined, options: DraftOptions): void {
  const fitting = OPTIONS_OF.get(verb)
  if (!fitting) throw wrong(`There is no "${verb}". Use list, show, accept, edit or dismiss.`)
  const other = Object.keys(options).find((name) => ![...OF_ALL, ...fitting].includes(name))
  if (other) throw wrong(`--${other} does not go with ${KVAULT} drafts ${verb}.`)
  if (options.card !== undefined && !options.verdict) throw wrong('--card goes with --verdict.')
  if (verb === 'list' && id !== undefined)
    throw wrong(`${KVAULT} drafts list takes no id. To see one: ${KVAULT} drafts show ${plain(id)}`)
}

export async function drafts(verb = 'list', id: string | undefined, options: DraftOptions): Promise<number> {
  requireOneOf('--status', options.status, STATUSES)
  requireWorkspaceId(options.workspace)
  requireFitting(verb, id, options)
  const profile = requireProfile(options)
  if (verb === 'list') {
    await list(profile, options)
    return EXIT.done
  }
  if (id === undefined) throw wrong(`Name the draft: ${KVAULT} drafts ${verb} <draft-id>`)
  requireId('draft', id)
  if (verb === 'show') {
    const draft = await call<Draft>(profile, 'draft', at(id))
    if (options.json) printJson(draft)
    else printDraft(draft)
  } else if (verb === 'accept') await accept(profile, id, {}, options)
  else if (verb === 'edit') await edit(profile, id, options)
  else {
    await call(profile, 'nothing', at(id, '/dismiss'), {})
    if (options.json) printJson({ draft_id: id, status: 'dismissed' })
    else print('Dismissed.')
  }
  return EXIT.done
}
