import type { UserCtx } from '../../core/context.ts'
import { queryTerms, termsOf } from '../../text/analyse.ts'
import { itemsOf } from '../memory/documents.ts'
import type { ShownEvent } from '../memory/found-events.ts'
import { USER_PREFERENCES_KEY } from '../memory/project-key.ts'
import { type ResolvedProject, refuseUnfitKey, resolveProject } from '../memory/resolve-project.ts'
import { eventsFor } from '../memory/search.ts'
import { type Snapshot, snapshotOf } from '../memory/snapshot.ts'
import { type Asker, type Found, memoryItem } from './items.ts'

/** The parts of a project's memory that a moment needs. */
export type ProjectMemory = { resolved: ResolvedProject; snapshot: Snapshot }

const DOCUMENT_CHARACTERS = 8000

/**
 * Without a project there are still the preferences for every project. A key with a secret in it is refused, because
 * it is stored.
 */
export async function readMemory(
  ctx: UserCtx,
  projectKey: string | undefined,
  recentEvents: number,
): Promise<ProjectMemory> {
  const resolved = await resolveProject(ctx, projectKey ?? USER_PREFERENCES_KEY, null)
  if (projectKey !== undefined && !resolved.project) refuseUnfitKey(projectKey)
  return { resolved, snapshot: await snapshotOf(ctx, resolved, recentEvents, DOCUMENT_CHARACTERS) }
}

type Document = NonNullable<Snapshot['facts']>

const LOOKED_AT = 5
const MOST_LINES = 3
const DAY_CHARACTERS = 10

/** What memory has about a text; nothing of the session itself, and no document that was replaced. */
export async function findInMemory(
  ctx: UserCtx,
  { resolved: { project, workspaceId }, snapshot }: ProjectMemory,
  text: string,
  { floor, sessionId, asker }: { floor: number; sessionId: string | null; asker: Asker },
): Promise<Found[]> {
  if (!project || project.events === 0) return []
  const events = await eventsFor(ctx, project, text, LOOKED_AT)
  const home = { projectKey: project.project_key, workspaceId }
  return events.flatMap((event): Found[] => {
    const confidence = event.score ?? 0
    if (confidence < floor || (sessionId !== null && event.session_id === sessionId)) return []
    const why = `memory of ${project.project_key}`
    const document = [snapshot.facts, snapshot.project_preferences].find(
      (one) => one?.raw_id === event.raw_id,
    )
    if (document) {
      const said = { kind: 'fact' as const, id: event.raw_id, title: 'Project facts', why, ...home }
      return [{ item: memoryItem({ ...said, text: linesAbout(document, text) }, asker), confidence }]
    }
    if (event.event_type === 'fact_snapshot' || event.event_type === 'summary') return []
    const said = { kind: 'event' as const, id: event.raw_id, title: titleOf(event), why, ...home }
    return [{ item: memoryItem({ ...said, text: event.snippet }, asker), confidence }]
  })
}

const titleOf = ({ title, created_at }: ShownEvent): string =>
  `${created_at.slice(0, DAY_CHARACTERS)} ${title ?? 'Earlier work on this project'}`

/** The lines of a document that have most of a text's words. */
function linesAbout({ content }: Document, text: string): string {
  const asked = new Set(queryTerms(text))
  return itemsOf(content)
    .map((line) => ({ line, shared: new Set(termsOf(line).filter((term) => asked.has(term))).size }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, MOST_LINES)
    .map(({ line }) => `- ${line}`)
    .join('\n')
}
