import { z } from 'zod'
import { AnswerId } from '../../core/schemas.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/public-library.ts'
import type { CardStatus, ReviewStatus } from '../../db/tables/cards.ts'
import type { Role, WorkspacesTable } from '../../db/tables/workspaces.ts'
import { mayKnowOf } from '../permissions/permission.ts'
import { isOpenRow } from './visibility.ts'

/** Where a card lives. */
export const Home = z
  .object({
    kind: z.enum(['personal', 'workspace', 'library']),
    workspace_id: AnswerId,
    name: z.string().nullable().describe('Null: a private workspace that the caller is not a member of'),
  })
  .meta({ id: 'CardHome' })

/** Who can read a card, in the words that every door uses. */
export const Readers = z
  .object({
    kind: z
      .enum(['owner', 'editors', 'members', 'link', 'everyone'])
      .describe('editors: a draft in a workspace; link: everybody who knows its address'),
    count: z.int().nullable().describe('How many people; null where the caller may not know'),
    text: z.string().describe('In words: Only you; Platform team, 3 people; Everyone'),
  })
  .meta({ id: 'CardReaders' })

/** What is known about the workspace of a card, as its viewer sees it. */
export type HomeFacts = {
  workspace_name: string
  workspace_type: WorkspacesTable['type']
  workspace_visibility: WorkspacesTable['visibility']
  viewer_role: Role | null
  owner_role: Role | null
  /** When the owner deleted the account; who has done so reads nothing. */
  owner_deleted_at: string | null
  /** How many people are in the workspace, and how many of them read its drafts. */
  members: number
  editors: number
  is_own: number
}

export type CardAtHome = HomeFacts & {
  workspace_id: string
  status: CardStatus
  review_status: ReviewStatus
  hidden_at: string | null
}
/** What every answer that shows a card says of it. */
export const AT_HOME = { home: Home, readers: Readers }
export type HomeAnswer = { home: z.input<typeof Home>; readers: z.input<typeof Readers> }

/** In place of the name of a private workspace, for somebody who is no member any more. */
export const LEFT_WORKSPACE = 'a workspace that you left'

function homeOf(row: CardAtHome): HomeAnswer['home'] {
  const { workspace_id, viewer_role, workspace_visibility } = row
  if (workspace_id === PUBLIC_LIBRARY_ID) return { kind: 'library', workspace_id, name: 'Library' }
  if (row.workspace_type === 'personal' && row.is_own === 1)
    return { kind: 'personal', workspace_id, name: 'Personal' }
  const name = mayKnowOf(workspace_visibility, viewer_role) ? row.workspace_name : null
  return { kind: 'workspace', workspace_id, name }
}

/** The owner can always read a card, even after leaving its workspace, but not after deleting the account. */
function peopleOf(row: CardAtHome): number {
  if (row.owner_deleted_at !== null) return row.status === 'published' ? row.members : row.editors
  if (row.status === 'published') return row.members + (row.owner_role === null ? 1 : 0)
  const isEditor = row.owner_role === 'admin' || row.owner_role === 'editor'
  return row.editors + (isEditor ? 0 : 1)
}

function readersOf(row: CardAtHome, name: string): HomeAnswer['readers'] {
  if (row.hidden_at !== null)
    return { kind: 'owner', count: 1, text: row.is_own === 1 ? 'Only you' : 'Only its owner' }
  const isPublished = row.status === 'published'
  if (isOpenRow(row))
    return row.workspace_visibility === 'public'
      ? { kind: 'everyone', count: null, text: 'Everyone' }
      : { kind: 'link', count: null, text: 'Everyone who has the link' }
  const people = peopleOf(row)
  const isYoursAlone = row.is_own === 1 || row.owner_deleted_at !== null
  if (people <= 1) return { kind: 'owner', count: 1, text: isYoursAlone ? 'Only you' : 'Only its owner' }
  const count = row.viewer_role === null ? null : people
  if (!isPublished) return { kind: 'editors', count, text: `Draft, editors of ${name} can read it` }
  const text = count === null ? name : `${name}, ${count} people`
  return { kind: 'members', count, text: text.charAt(0).toUpperCase() + text.slice(1) }
}

/** Where a card lives and who reads it: the one place that says so, for REST, tools, the command and the web app. */
export function presentHome(row: CardAtHome): HomeAnswer {
  const home = homeOf(row)
  return { home, readers: readersOf(row, home.name ?? LEFT_WORKSPACE) }
}
