import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { AnswerId } from '../../core/schemas.ts'
import { fromJson } from '../../db/columns.ts'
import type { NamesIndex } from '../../shared/before.ts'
import { itemsOf } from '../../shared/memory.ts'
import { commandsNamed, filesNamed, isRule, namedIn, sentencesOf } from '../../text/named-things.ts'
import { ownCardTexts, readableCard } from '../cards/index.ts'
import {
  commitWithoutMarked,
  type Project,
  ProjectKey,
  projectCommit,
  readCommitTexts,
  readTurnTexts,
  resolveProject,
  type Snapshot,
  sentencesThatAdd,
  snapshotOf,
  WorkspaceId,
  withoutMarked,
} from '../memory/index.ts'
import {
  type Asker,
  cardItem,
  commitItem,
  FRAME_CHARACTERS,
  isWithheld,
  memoryItem,
  type ScoredItem,
} from './items.ts'
import type { ProjectMemory } from './project-memory.ts'

const DOCUMENT_CHARACTERS = 20_000
const MAX_COMMITS = 1500
const MAX_TURNS = 400
const MAX_CARDS = 300
/** A commit of many files says little about one of them. */
const MAX_FILES_OF_COMMIT = 8
const MAX_NAMES = 1000
const MAX_IDS_OF_NAME = 3

class Names {
  readonly #ids = new Map<string, number>()
  readonly #files = new Map<string, Set<number>>()
  readonly #commands = new Map<string, Set<number>>()

  /** The first of a name are the newest, so the list of a name ends when it is full. */
  #add(list: Map<string, Set<number>>, name: string, id: string): void {
    const ids = list.get(name) ?? new Set()
    if (ids.size >= MAX_IDS_OF_NAME || (ids.size === 0 && list.size >= MAX_NAMES)) return
    const at = this.#ids.get(id) ?? this.#ids.size
    this.#ids.set(id, at)
    list.set(name, ids.add(at))
  }

  file(name: string, id: string): void {
    this.#add(this.#files, name, id)
  }

  text(text: string, id: string, { all = false, onlyPaths = false } = {}): void {
    const { files, commands } = namedIn(text, { all })
    for (const file of files) if (!onlyPaths || file.includes('/')) this.file(file, id)
    for (const command of commands) this.#add(this.#commands, command, id)
  }

  get index(): NamesIndex {
    const listed = (list: Map<string, Set<number>>) =>
      Object.fromEntries([...list].map(([name, ids]) => [name, [...ids]]))
    return { ids: [...this.#ids.keys()], files: listed(this.#files), commands: listed(this.#commands) }
  }
}

/** Facts come first, then conversations, commits and cards, each with the newest first. */
async function namesOf(ctx: UserCtx, snapshot: Snapshot, project: Project): Promise<NamesIndex> {
  const names = new Names()
  const { facts, project_preferences, user_preferences } = snapshot
  for (const document of [facts, project_preferences, user_preferences])
    if (document) names.text(document.content, document.raw_id, { all: true })
  const read = <T>(rows: readonly T[], each: (row: T) => void) =>
    ctx.work.inPieces(
      (function* () {
        for (const row of rows) {
          each(row)
          yield
        }
      })(),
    )
  await read(await readTurnTexts(ctx.db, project, MAX_TURNS), ({ raw_id, content }) =>
    names.text(content, raw_id),
  )
  await read(
    await readCommitTexts(ctx.db, project, MAX_COMMITS),
    ({ commit_id, kind, subject, message, files }) => {
      const text = `${subject}\n${message}`
      names.text(text, commit_id, { all: kind === 'document' && isRule(text) })
      const changed = fromJson<string[]>(files)
      if (kind === 'document' || changed.length > MAX_FILES_OF_COMMIT || message === '' || !isRule(text))
        return
      for (const file of changed) names.file(file, commit_id)
    },
  )
  await read(await ownCardTexts(ctx.db, ctx.viewer.userId, MAX_CARDS), ({ card_id, title, fix_summary }) =>
    // A card belongs to no project, so a bare name such as `index.ts` may be that of another one.
    names.text(`${title}\n${fix_summary}`, card_id, { onlyPaths: true }),
  )
  return names.index
}

const Positions = z.record(z.string(), z.array(z.int()))

export const readNames = capability({
  name: 'memory.names',
  summary: 'Which files and commands of a project something is known about',
  description:
    'For the hook before a tool: it reads this list on its own machine, and asks only if the list names what the agent is about to touch. Decisions, facts, lessons and commits with a reason count.',
  scopes: ['search'],
  rest: ['GET /api/v1/project-context/names'],
  errors: [404],
  limit: 'search',
  input: z.object({ project_key: ProjectKey, workspace_id: WorkspaceId }),
  output: z
    .object({
      project_key: z.string(),
      ids: z.array(AnswerId),
      files: Positions.describe('Positions in ids, by path or name'),
      commands: Positions,
    })
    .meta({ id: 'ProjectContextNames' }),
  run: async (ctx, { project_key, workspace_id }) => {
    const resolved = await resolveProject(ctx, project_key, workspace_id)
    const { project } = resolved
    if (!project) return { project_key: resolved.name.key, ids: [], files: {}, commands: {} }
    const snapshot = await snapshotOf(ctx, resolved, 0, DOCUMENT_CHARACTERS)
    return { project_key: project.project_key, ...(await namesOf(ctx, snapshot, project)) }
  },
})

type Deed = { name: string; ids: readonly string[]; budget: number; asker: Asker }

/** Whether a sentence names the file or command that an agent is about to touch. */
function isAbout(sentence: string, name: string): boolean {
  const bare = name.slice(name.lastIndexOf('/') + 1)
  return (
    filesNamed(sentence).some((file) => name === file || name.endsWith(`/${file}`) || file === bare) ||
    commandsNamed(sentence).some((command) => command.split(' ').every((word) => name.includes(word)))
  )
}

/** The sentences that name the thing, and those that rule beside them. */
function tellingText(text: string, name: string, budget: number): string {
  const sentences = sentencesOf(text)
  const named = sentences.filter((sentence) => isAbout(sentence, name))
  return sentencesThatAdd('', (named.length > 0 ? named : sentences.filter(isRule)).join('\n'), budget)
}

const TITLE_ROOM = 120

async function itemOf(
  ctx: UserCtx,
  memory: ProjectMemory,
  id: string,
  { name, budget, asker }: Deed,
): Promise<ScoredItem | undefined> {
  const { project, workspaceId } = memory.resolved
  if (!project) return undefined
  const home = { projectKey: project.project_key, workspaceId }
  const room = Math.floor((budget - FRAME_CHARACTERS) / 2)
  const { facts, project_preferences, user_preferences } = memory.snapshot
  const document = [facts, project_preferences, user_preferences].find((one) => one?.raw_id === id)
  if (document) {
    const text = itemsOf(document.content)
      .filter((line) => isAbout(line, name))
      .join('\n')
    const item = { kind: 'fact' as const, id, title: 'Project facts', text, why: `names ${name}`, ...home }
    return text === '' ? undefined : { item: memoryItem(item, asker), confidence: null }
  }
  const commit = await projectCommit(ctx, project, id)
  if (commit) {
    const row = commitWithoutMarked(commit.row, memory.isMarked)
    if (!row) return undefined
    const found = { ...commit, row, confidence: 1 }
    return {
      item: commitItem(found, { ...home, prompt: name, budget: room + TITLE_ROOM }, asker),
      confidence: null,
    }
  }
  const [turn] = await readTurnTexts(ctx.db, project, 1, id)
  if (turn) {
    const { isMarked } = memory
    const content = isMarked ? withoutMarked(turn.content, isMarked) : turn.content
    const text = tellingText(content ?? '', name, room)
    const title = `${turn.created_at.slice(0, 10)} ${turn.title ?? 'Earlier work on this project'}`
    const item = { kind: 'event' as const, id, title, text, why: `names ${name}`, ...home }
    return text === '' ? undefined : { item: memoryItem(item, asker), confidence: null }
  }
  return cardNaming(ctx, id, name, asker)
}

async function cardNaming(
  ctx: UserCtx,
  id: string,
  name: string,
  asker: Asker,
): Promise<ScoredItem | undefined> {
  try {
    const card = await readableCard(ctx, id)
    return isWithheld(card) ? undefined : { item: cardItem(card, `names ${name}`, asker), confidence: null }
  } catch (error) {
    // It was deleted since the list was made.
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Returns what names the file or command that an agent is about to touch. */
export async function knownBefore(ctx: UserCtx, memory: ProjectMemory, deed: Deed): Promise<ScoredItem[]> {
  const found: ScoredItem[] = []
  for (const id of new Set(deed.ids)) {
    const item = await itemOf(ctx, memory, id, deed)
    if (item) found.push(item)
  }
  return found
}
