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
/** The protocol takes no more values than this. It is also the longest page of cards. */
const MOST_VALUES = 100
/** The longest list of projects. */
const MOST_LOOKED_THROUGH = 200
/** What the filter of the list of cards takes. */
const MOST_FILTER_WORDS = 16
const LONGEST_FILTER = 1000

type Project = { project_key: string; events: number; last_event_at: string | null }
type Card = {
  card_id: string
  title: string
  card_type: string
  updated_at: string
  provenance: ProvenanceAnswer
}

type Page<T> = { items: T[]; total: number }

/**
 * By the capabilities themselves, so that their scopes and permissions hold here too. A project of a team is read with
 * its workspace, which an address of a resource does not name.
 */
async function projectsOf(ctx: UserCtx, limit: number): Promise<Page<Project>> {
  const { personal_workspace_id: workspace_id } = await requireUser(ctx, ctx.viewer.userId)
  return (await invoke(listProjects, ctx, { workspace_id, limit })) as Page<Project>
}

/** A list has no room to say whose words a title is, so there are only the caller's own. */
const nameOf = ({ card_id, title, provenance: { owner, origin } }: Card): string =>
  owner === 'you' && origin === undefined
    ? title.slice(0, TITLE_CHARACTERS).toWellFormed()
    : `card ${card_id}`

const recentCards = async (ctx: UserCtx, page_size: number, contains?: string) =>
  (await invoke(listCardsPage, ctx, { page_size, contains })) as Page<Card>

/** The guide, and the caller's own projects and recent cards, newest first. */
export async function listResources(ctx: UserCtx): Promise<Resource[]> {
  if (!mayUse(listProjects, ctx.viewer)) return GUIDE_RESOURCES
  const { items: projects } = await projectsOf(ctx, MOST_PROJECTS)
  const { items: cards } = await recentCards(ctx, MOST_CARDS)
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

/** `isWhole`: there was nothing else to look through. */
type Found = { values: string[]; isWhole: boolean }

const NOTHING: Found = { values: [], isWhole: true }
const hasAll = ({ items, total }: Page<unknown>): boolean => items.length >= total

async function projectKeys(ctx: UserCtx, typed: string): Promise<Found> {
  const projects = await projectsOf(ctx, MOST_LOOKED_THROUGH)
  const keys = projects.items.map(({ project_key }) => project_key)
  return { values: keys.filter((key) => has(key, typed)), isWhole: hasAll(projects) }
}

const PART_OF_ID = /^[0-9a-f-]*$/

/** The list has a filter for words, and none for ids: by its id a card is found among the newest. */
async function cardIds(ctx: UserCtx, typed: string): Promise<Found> {
  const id = typed.trim().toLowerCase()
  const words = id.split(/\s+/).slice(0, MOST_FILTER_WORDS).join(' ').slice(0, LONGEST_FILTER).toWellFormed()
  const pages = [
    ...(PART_OF_ID.test(id) ? [await recentCards(ctx, MOST_VALUES)] : []),
    ...(words === '' ? [] : [await recentCards(ctx, MOST_VALUES, words)]),
  ]
  const isMeant = ({ card_id, title }: Card) => card_id.startsWith(id) || has(title, typed)
  const meant = pages.flatMap(({ items }) => items.filter(isMeant).map(({ card_id }) => card_id))
  return { values: [...new Set(meant)], isWhole: pages.every(hasAll) }
}

/** Completions for what is typed of an argument of a resource template or a prompt. */
async function valuesFor(ctx: UserCtx, { name, value }: { name: string; value: string }): Promise<Found> {
  if (!mayUse(listProjects, ctx.viewer)) return NOTHING
  if (name === 'project_key') return projectKeys(ctx, value)
  return name === 'card_id' ? cardIds(ctx, value) : NOTHING
}

export async function completionOf(ctx: UserCtx, argument: { name: string; value: string }) {
  const { values, isWhole } = await valuesFor(ctx, argument)
  return {
    values: values.slice(0, MOST_VALUES),
    hasMore: !isWhole || values.length > MOST_VALUES,
    ...(isWhole ? { total: values.length } : {}),
  }
}
