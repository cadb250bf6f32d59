import { projectHere } from './allow-project.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { wholeNumber } from './given-options.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import { keepingAdvice } from './project-name.ts'
import { paint, plain, plainLines, print, printJson, table } from './terminal.ts'
import { callTool } from './vault-client.ts'

export type SnapshotEvent = {
  event_type: string
  content: string
  created_at: string
  title: string | null
  session_id: string | null
}
export type Snapshot = {
  project_key: string
  summary: SnapshotEvent | null
  facts: SnapshotEvent | null
  project_preferences: SnapshotEvent | null
  user_preferences: SnapshotEvent | null
  recent_events: SnapshotEvent[]
  total_events: number
  generated_at: string
}

export type ContextOptions = ProfileOptions & { limit?: string; json?: boolean }

const MOST_EVENTS = 100
const READ = {
  project_key: '',
  total_events: 0,
  recent_events: [{ event_type: '', content: '', created_at: '' }],
}

/** A folder that only its path names: where its memory is after a move, and how it survives the next one. */
function sayWhatNamesIt({ url }: Profile, isEmpty: boolean): void {
  const advice = keepingAdvice(process.cwd())
  if (!advice) return
  const moved = isEmpty ? ` If it was moved or renamed, look at ${url}/memory for its former name.` : ''
  print(paint('dim', `\nThis folder has no remote, so its path names it.${moved} ${advice}`))
}

export async function context(key: string | undefined, options: ContextOptions): Promise<number> {
  const limit_events = wholeNumber('--limit', options.limit, MOST_EVENTS)
  if (key === '') throw new CommandError('Name a project key.', EXIT.usage)
  const { key: project_key, profile } =
    key === undefined ? await projectHere(options) : { key, profile: requireProfile(options) }
  const asked = { project_key, ...(limit_events === undefined ? {} : { limit_events }) }
  const snapshot = await callTool<Snapshot>(profile, 'get_project_context', asked, READ)
  if (options.json) {
    printJson(snapshot)
    return EXIT.done
  }
  const { total_events } = snapshot
  const events = total_events === 1 ? '1 event' : `${total_events} events`
  print(paint('bold', snapshot.project_key) + paint('dim', `  ${events}`))
  const documents = {
    'Your preferences': snapshot.user_preferences,
    Summary: snapshot.summary,
    Facts: snapshot.facts,
    Preferences: snapshot.project_preferences,
  }
  for (const [title, event] of Object.entries(documents))
    if (event) print(`\n${paint('bold', title)}\n${plainLines(event.content)}`)
  const rows = snapshot.recent_events.map((event) => [
    event.created_at.slice(0, 16).replace('T', ' '),
    event.event_type,
    plain(event.title ?? event.content),
  ])
  if (rows.length > 0) print(`\n${table(['when (UTC)', 'what', 'content'], rows)}`)
  else if (total_events === 0) print('Nothing remembered yet.')
  if (key === undefined) sayWhatNamesIt(profile, total_events === 0)
  return EXIT.done
}
