import { execFileSync } from 'node:child_process'
import { basename } from 'node:path'
import { CommandError, EXIT } from './exit-codes.ts'
import { type ProfileOptions, requireProfile } from './profile.ts'
import { paint, plain, plainLines, print, printJson, table } from './terminal.ts'
import { callTool } from './vault-client.ts'

/** The remote of the checkout is the project's name everywhere; a folder without one goes by its own. */
export function projectKeyOf(folder: string): string {
  try {
    const remote = execFileSync('git', ['-C', folder, 'remote', 'get-url', 'origin'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const url = remote.toString().trim()
    if (url) return url
  } catch {
    // Not a checkout, or one without a remote.
  }
  return basename(folder)
}

type Event = { event_type: string; content: string; created_at: string; title: string | null }
export type Snapshot = {
  project_key: string
  summary: Event | null
  facts: Event | null
  project_preferences: Event | null
  user_preferences: Event | null
  recent_events: Event[]
  total_events: number
}

export type ContextOptions = ProfileOptions & { limit?: string; json?: boolean }

export async function context(key: string | undefined, options: ContextOptions): Promise<number> {
  const project_key = key ?? projectKeyOf(process.cwd())
  if (!project_key) throw new CommandError('Name a project key.', EXIT.usage)
  const snapshot = await callTool<Snapshot>(requireProfile(options), 'get_project_context', {
    project_key,
    ...(options.limit ? { limit_events: Number(options.limit) } : {}),
  })
  if (options.json) {
    printJson(snapshot)
    return EXIT.done
  }
  print(paint('bold', snapshot.project_key) + paint('dim', `  ${snapshot.total_events} events`))
  const documents = {
    Summary: snapshot.summary,
    Facts: snapshot.facts,
    Preferences: snapshot.project_preferences,
  }
  for (const [title, event] of Object.entries(documents))
    if (event) print(`\n${paint('bold', title)}\n${plainLines(event.content)}`)
  const rows = snapshot.recent_events.map((event) => [
    event.created_at.slice(0, 16),
    event.event_type,
    plain(event.title ?? event.content),
  ])
  if (rows.length > 0) print(`\n${table(['when', 'what', 'content'], rows)}`)
  else print('Nothing remembered yet.')
  return EXIT.done
}
