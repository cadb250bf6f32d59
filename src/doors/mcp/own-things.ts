import type { Resource } from '@modelcontextprotocol/server'
import type { UserCtx } from '../../core/context.ts'
import { invoke } from '../../core/invoke.ts'
import type { ProvenanceAnswer } from '../../core/provenance.ts'
import { mayUse } from '../../core/tools.ts'
import { listCardsPage } from '../../features/cards/read.ts'
import { requireUser } from '../../features/identity/users/users.ts'
import { listProjects } from '../../features/memory/projects.ts'
import { cardUri, GUIDE_RESOURCES, MEMORY_TYPE, projectUri } from './resources.ts'

/** Enough to choose from; search finds older ones. */
const MOST_PROJECTS = 50
const MOST_CARDS = 20
const TITLE_CHARACTERS = 120
/** The protocol takes no more values than this. */
const MOST_VALUES = 100

type Project = { project_key: string; events: number; last_event_at: string | null }
type Card = {
  card_id: string
  title: string
  card_type: string
  updated_at: string
  provenance: ProvenanceAnswer
}

/**
 * By the capabilities themselves, so that their scopes and permissions hold here too. A project of a team is read with
 * its workspace, which an address of a resource does not name.
 */
async function projectsOf(ctx: UserCtx, limit: number): Promise<Project[]> {
  const { personal_workspace_id: workspace_id } = await requireUser(ctx, ctx.viewer.userId)
  return ((await invoke(listProjects, ctx, { workspace_id, limit })) as { items: Project[] }).items
}

/** A list has no room to say whose words a title is, so there are only the caller's own. */
const nameOf = ({ card_id, title, provenance: { owner, origin } }: Card): string =>
  owner === 'you' && origin === undefined
    ? title.slice(0, TITLE_CHARACTERS).toWellFormed()
    : `card ${card_id}`

const recentCards = async (ctx: UserCtx, page_size: number) =>
  ((await invoke(listCardsPage, ctx, { page_size })) as { items: Card[] }).items

/** The guide, and the caller's own projects and recent cards, newest first. */
export async function listResources(ctx: UserCtx): Promise<Resource[]> {
  if (!mayUse(listProjects, ctx.viewer)) return GUIDE_RESOURCES
  const projects = await projectsOf(ctx, MOST_PROJECTS)
  const cards = await recentCards(ctx, MOST_CARDS)
  return [
    ...GUIDE_RESOURCES,
    ...projects.map(({ project_key, events }) => ({
      uri: projectUri(project_key),
      name: project_key,
      title: `Memory of ${project_key}`,
      description: `${events} events`,
      mimeType: MEMORY_TYPE,
    })),
    ...cards.map((card) => ({
      uri: cardUri(card.card_id),
      name: nameOf(card),
      description: card.card_type,
      mimeType: 'text/markdown',
      annotations: { lastModified: card.updated_at },
    })),
  ]
}

const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())

/** Completions for what is typed of an argument of a resource template or a prompt. */
async function valuesFor(ctx: UserCtx, argument: { name: string; value: string }): Promise<string[]> {
  if (!mayUse(listProjects, ctx.viewer)) return []
  if (argument.name === 'project_key') {
    const projects = await projectsOf(ctx, MOST_VALUES)
    return projects.map(({ project_key }) => project_key).filter((key) => has(key, argument.value))
  }
  if (argument.name !== 'card_id') return []
  const cards = await recentCards(ctx, MOST_VALUES)
  const isMeant = ({ card_id, title }: Card) =>
    card_id.startsWith(argument.value) || has(title, argument.value)
  return cards.filter(isMeant).map(({ card_id }) => card_id)
}

export async function completionOf(ctx: UserCtx, argument: { name: string; value: string }) {
  const values = (await valuesFor(ctx, argument)).slice(0, MOST_VALUES)
  return { values, total: values.length, hasMore: false }
}
