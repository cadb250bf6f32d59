import { readFileSync } from 'node:fs'
import { CommandError, EXIT } from './exit-codes.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import { workspaceOf } from './project-name.ts'
import { paint, plain, print, printJson, readStdin, table } from './terminal.ts'
import { ask, callTool } from './vault-client.ts'

type Hit = { card_id: string; title: string; fix_summary: string; readers: { text: string } }
type Found = { results: Hit[]; total: number; credits_charged: number; credits_balance: number }

export type SearchOptions = ProfileOptions & {
  scope?: string
  limit?: string
  tag?: string[]
  json?: boolean
}

export async function search(words: string[], options: SearchOptions): Promise<number> {
  const found = await callTool<Found>(requireProfile(options), 'search_records', {
    query: words.join(' '),
    ...(options.scope ? { scope: options.scope } : {}),
    ...(options.limit ? { limit: Number(options.limit) } : {}),
    ...(options.tag ? { tags: options.tag } : {}),
  })
  if (options.json) printJson(found)
  else if (found.results.length === 0) print('Nothing found. Try fewer or other words, or --scope workspace.')
  else {
    const rows = found.results.map((hit) => [
      hit.card_id,
      plain(hit.title, 44),
      plain(hit.fix_summary, 48),
      plain(hit.readers.text, 40),
    ])
    print(table(['card', 'title', 'fix', 'readers'], rows))
    if (found.credits_charged > 0)
      print(paint('dim', `${found.credits_charged} credits charged, ${found.credits_balance} left`))
  }
  return EXIT.done
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
  json?: boolean
}

async function cardFrom(options: RecordOptions): Promise<Record<string, unknown>> {
  const text =
    options.file === '-' ? await readStdin() : options.file ? readFileSync(options.file, 'utf8') : undefined
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
  if (text === undefined) return stated
  try {
    return { ...JSON.parse(text), ...stated }
  } catch {
    throw new CommandError(
      `${options.file === '-' ? 'Standard input' : options.file} is not JSON.`,
      EXIT.usage,
    )
  }
}

/** From the project, else from the key or the settings. A key that may not ask who it belongs to records where tools do. */
async function defaultWorkspace({ url, apiKey }: Profile): Promise<{ workspace_id?: string }> {
  const ofProject = workspaceOf(process.cwd())
  if (ofProject) return { workspace_id: ofProject }
  const reply = await ask(url, '/api/v1/auth/me', { headers: { 'x-api-key': apiKey } })
  const { default_workspace_id } = (reply.body ?? {}) as { default_workspace_id?: string | null }
  return reply.status === 200 && default_workspace_id ? { workspace_id: default_workspace_id } : {}
}

type Recorded = {
  card_id: string
  title: string
  readers: { text: string }
  home_note?: string
  warnings?: unknown[]
}

export async function record(options: RecordOptions): Promise<number> {
  const profile = requireProfile(options)
  const given = await cardFrom(options)
  const workspace = given.workspace_id === undefined ? await defaultWorkspace(profile) : {}
  const card = await callTool<Recorded>(profile, 'record_card', { ...given, ...workspace })
  if (options.json) printJson(card)
  else {
    print(`Recorded ${card.card_id}  ${plain(card.title)}`)
    print(paint('dim', `Readers: ${plain(card.readers.text)}`))
    if (card.home_note) print(paint('yellow', card.home_note))
    if (card.warnings?.length)
      print(paint('yellow', 'It seems to contain a secret. Take it out before sharing or publishing.'))
  }
  return EXIT.done
}
