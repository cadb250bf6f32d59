import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { InvalidInput, invalid } from '../../core/errors.ts'
import { AnswerId } from '../../core/schemas.ts'
import { documentOf, itemNamed, itemsOf, mergeItems } from '../../shared/memory.ts'
import { appendTo, clean, requireFits } from './append.ts'
import { type ResolvedProject, refuseUnfitKey, resolveTwoForWriting } from './projects.ts'
import { Confirmed, Label, ProjectKey, WorkspaceId } from './schemas.ts'
import { newestDocument } from './store.ts'

const PreferencesTransferRequest = z
  .object({
    source_project_key: ProjectKey.describe('From; repository URL or org/repo'),
    target_project_key: ProjectKey.describe('To; repository URL or org/repo'),
    confirmed_by_user: Confirmed,
    workspace_id: WorkspaceId,
    items: z
      .array(z.string().min(1).max(10_000))
      .min(1)
      .max(1000)
      .nullish()
      .describe('Only these lines; the whole document when left out'),
    replace_target: z.boolean().default(false).describe('Replace, not merge; counts only without items'),
    note: z.string().max(2000).nullish(),
    client: Label,
  })
  .meta({ id: 'PreferencesTransferRequest' })

const PreferencesTransferResponse = z
  .object({
    source_project_key: z.string(),
    target_project_key: z.string(),
    items_copied: z.int(),
    items_skipped: z.int().describe('What the target already had.'),
    replaced: z.boolean(),
    raw_id: AnswerId.nullable().describe(
      'Of the new document of the target; null when nothing had to change.',
    ),
  })
  .meta({ id: 'PreferencesTransferResponse' })

export const transferPreferences = capability({
  name: 'memory.transfer_preferences',
  summary: 'Copy preferences from one project to another, or to and from those of the user',
  description:
    'Both documents are lists of lines. Merging keeps the order of the target and adds what is new; repeating a transfer changes nothing.',
  scopes: ['record'],
  rest: ['POST /api/v1/project-context/preferences/transfer'],
  errors: [404],
  tool: {
    name: 'transfer_preferences',
    description: 'Copy preferences from one project to another. Ask the user first.',
  },
  input: PreferencesTransferRequest,
  output: PreferencesTransferResponse,
  run: (ctx, input) =>
    inTx(
      ctx,
      async (ctx) => {
        const keys = [input.source_project_key, input.target_project_key] as const
        const [source, target] = await resolveTwoForWriting(ctx, keys, input.workspace_id)
        if (!target.project) refuseUnfitKey(input.target_project_key, 'target_project_key')
        if (isSame(source, target))
          throw invalid('target_project_key', 'Source and target are the same project')
        const sourceItems = await preferencesAt(ctx, source)
        const targetItems = await preferencesAt(ctx, target)
        const wanted = input.items ? pick(sourceItems, input.items) : sourceItems
        const replacing = input.replace_target && !input.items
        const merged = mergeItems(targetItems, wanted)
        const items = replacing ? wanted : merged.items
        const changed = items.join('\n') !== targetItems.join('\n') && items.length > 0
        const written = changed ? await write(ctx, target, items, source, input) : undefined
        return {
          source_project_key: source.project?.project_key ?? source.name.key,
          target_project_key: written?.project.project_key ?? target.project?.project_key ?? target.name.key,
          items_copied: merged.copied,
          items_skipped: merged.skipped,
          replaced: replacing && changed,
          raw_id: written?.event.raw_id ?? null,
        }
      },
      SELF_GUARDED,
    ),
})

const isSame = (a: ResolvedProject, b: ResolvedProject) =>
  a.name.key === b.name.key || (a.project !== undefined && a.project.project_id === b.project?.project_id)

async function preferencesAt(ctx: UserCtx, resolved: ResolvedProject): Promise<string[]> {
  if (!resolved.project) return []
  const document = await newestDocument(ctx.db, resolved.project, 'preferences')
  return document ? itemsOf(document.content) : []
}

/** Returns the chosen items in source order. Throws an error that names an unknown item. */
function pick(source: readonly string[], asked: readonly string[]): string[] {
  const known = new Set(source)
  const wanted = asked.map((item) => itemNamed(known, item))
  const missing = asked.flatMap((item, index) =>
    wanted[index] !== undefined
      ? []
      : [
          {
            type: 'value_error',
            path: ['items', index],
            msg: `The source has no preference "${item.slice(0, 200)}"`,
          },
        ],
  )
  if (missing.length > 0) throw new InvalidInput(missing)
  const chosen = new Set(wanted)
  return source.filter((item) => chosen.has(item))
}

async function write(
  ctx: UserCtx,
  target: ResolvedProject,
  items: readonly string[],
  source: ResolvedProject,
  input: z.output<typeof PreferencesTransferRequest>,
) {
  const isUser = target.name.form === 'user_preferences'
  const content = documentOf(items)
  requireFits('target_project_key', content)
  const cleaned = await clean(ctx, {
    event_type: 'fact_snapshot',
    content,
    client: input.client,
    meta: {
      fact_kind: isUser ? 'user_preferences' : 'project_preferences',
      confirmed_by_user: true,
      transferred_from: source.project?.project_key ?? source.name.key,
      ...(input.note ? { note: input.note } : {}),
    },
  })
  return appendTo(ctx, target, cleaned)
}
