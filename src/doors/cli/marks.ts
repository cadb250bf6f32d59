import { CommandError, EXIT } from './exit-codes.ts'
import { requireId } from './input.ts'
import { type ProfileOptions, requireProfile } from './profile.ts'
import { print, printJson } from './terminal.ts'
import { ask, failure } from './vault-client.ts'

const MARKS = '/api/v1/project-context/marks'

type Mark = { mark_id: string; raw_id: string; reason: string; whole: boolean }

export type MarkOptions = ProfileOptions & {
  wrong?: boolean
  passage?: string
  undo?: boolean
  json?: boolean
}

/** `kvault outdated`: marks an event of memory, or sentences of it, so that recall leaves it out. */
export async function outdated(id: string, options: MarkOptions): Promise<number> {
  requireId('event', id)
  if (options.undo && (options.wrong || options.passage !== undefined))
    throw new CommandError(
      '--undo takes back all marks of the event; leave the other options out.',
      EXIT.usage,
    )
  const { url, apiKey } = requireProfile(options)
  const headers = { 'x-api-key': apiKey }
  if (options.undo) return takeBack(url, headers, id, options)
  const reason = options.wrong ? 'wrong' : 'outdated'
  const body = { raw_id: id, reason, ...(options.passage === undefined ? {} : { passage: options.passage }) }
  const reply = await ask(url, MARKS, { headers, body, shape: { mark_id: '', raw_id: '', reason: '' } })
  if (reply.status !== 201) throw failure(reply)
  const mark = reply.body as Mark
  if (options.json) printJson(mark)
  else print(`Marked as ${reason}: ${mark.whole ? 'the event' : 'the passage'} stays away from recall.`)
  return EXIT.done
}

async function takeBack(url: string, headers: Record<string, string>, id: string, options: MarkOptions) {
  const event = await ask(url, `/api/v1/project-context/events/${id}`, {
    headers,
    shape: { project_key: '', workspace_id: '' },
  })
  if (event.status !== 200) throw failure(event)
  const { project_key, workspace_id } = event.body as Record<string, string>
  const query = new URLSearchParams({ project_key: project_key ?? '', workspace_id: workspace_id ?? '' })
  const listed = await ask(url, `${MARKS}?${query}`, { headers, shape: { items: [] } })
  if (listed.status !== 200) throw failure(listed)
  const marks = (listed.body as { items: Mark[] }).items.filter(({ raw_id }) => raw_id === id)
  for (const { mark_id } of marks) {
    const gone = await ask(url, `${MARKS}/${mark_id}`, { method: 'DELETE', headers })
    if (gone.status !== 204) throw failure(gone)
  }
  if (options.json) printJson({ raw_id: id, removed: marks.length })
  else print(marks.length === 0 ? 'It has no mark.' : 'Recall may bring it again.')
  return EXIT.done
}
