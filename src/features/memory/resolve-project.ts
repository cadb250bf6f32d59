import type { UserCtx } from '../../core/context.ts'
import { invalid, notFound } from '../../core/errors.ts'
import type { ProvenanceAnswer } from '../../core/provenance.ts'
import { RunAgain } from '../../db/db.ts'
import { holdLockOf } from '../../db/locks.ts'
import { requireRole } from '../permissions/permission.ts'
import { findSecrets } from '../redaction/redact.ts'
import { MOST_KEY_BYTES, type ProjectName, readProjectKey } from './project-key.ts'
import { findProjects, lockProject, type Project } from './projects.store.ts'

/** What a key of this caller means: the workspace, and the project if there is one already. */
export type ResolvedProject = {
  /** As the caller wrote it. */
  writtenKey: string
  name: ProjectName
  workspaceId: string
  personalWorkspaceId: string
  project: Project | undefined
  userPreferences: Project | undefined
}

/**
 * Memory belongs to its author alone, so membership decides only whether a workspace may be named: members may,
 * and somebody who has left still reaches what they wrote there.
 */
export async function resolveProject(
  ctx: UserCtx,
  writtenKey: string,
  workspaceId: string | null | undefined,
): Promise<ResolvedProject> {
  const name = readProjectKey(writtenKey)
  const { personalWorkspaceId, projects, userPreferences } = await findProjects(
    ctx.db,
    ctx.viewer.userId,
    name,
  )
  // The user's preferences hold everywhere, so there is one document of them.
  const wanted = name.form === 'user_preferences' ? personalWorkspaceId : (workspaceId ?? personalWorkspaceId)
  const project = projects.find((candidate) => candidate.workspace_id === wanted)
  if (!project && wanted !== personalWorkspaceId) await requireRole(ctx, wanted, 'viewer')
  return { writtenKey, name, workspaceId: wanted, personalWorkspaceId, project, userPreferences }
}

/**
 * The same for a `SELF_GUARDED` transaction that writes to the project. It locks the project: one writer waits for the
 * other, while serialisable transactions of different projects in a young vault would conflict again and again.
 */
export async function resolveForWriting(
  ctx: UserCtx,
  writtenKey: string,
  workspaceId: string | null | undefined,
): Promise<ResolvedProject> {
  const resolve = () => resolveProject(ctx, writtenKey, workspaceId)
  let resolved = await resolve()
  if (ctx.database.engine === 'sqlite') return resolved
  if (!resolved.project) {
    await holdNames(ctx)
    resolved = await resolve()
  }
  return lockResolved(ctx, resolved)
}

/** The same for two keys. `naming` is for a transaction that may give a project another name. */
export async function resolveTwoForWriting(
  ctx: UserCtx,
  [firstKey, secondKey]: readonly [string, string],
  workspaceId: string | null | undefined,
  { naming = false } = {},
): Promise<[ResolvedProject, ResolvedProject]> {
  const resolve = async () =>
    [
      await resolveProject(ctx, firstKey, workspaceId),
      await resolveProject(ctx, secondKey, workspaceId),
    ] as const
  let [first, second] = await resolve()
  if (ctx.database.engine === 'sqlite') return [first, second]
  if (naming || !first.project || !second.project) {
    await holdNames(ctx)
    ;[first, second] = await resolve()
  }
  // In the order of their ids, so that two writers of the same projects do not wait for each other.
  if ((first.project?.project_id ?? '') < (second.project?.project_id ?? '')) {
    first = await lockResolved(ctx, first)
    return [first, await lockResolved(ctx, second)]
  }
  second = await lockResolved(ctx, second)
  return [await lockResolved(ctx, first), second]
}

/** Taken before any project is locked: the one who holds it waits for projects. */
const holdNames = ({ db, database, viewer }: UserCtx) =>
  holdLockOf(db, database.engine, 'projectNames', viewer.userId)

async function lockResolved(ctx: UserCtx, resolved: ResolvedProject): Promise<ResolvedProject> {
  if (!resolved.project) return resolved
  const project = await lockProject(ctx.db, resolved.project)
  // It was renamed, merged or deleted in between.
  if (!project || !isNamedAlike(project, resolved.project)) throw new RunAgain()
  return { ...resolved, project }
}

const isNamedAlike = (a: Project, b: Project): boolean =>
  a.project_key === b.project_key && a.host === b.host && a.workspace_id === b.workspace_id

/** The provenance of memory: agents of this person wrote it, pasted pages and logs included. */
export const ownMemory = (workspaceId: string): ProvenanceAnswer => ({
  owner: 'you',
  workspace: workspaceId,
  reviewed: false,
})

/** For a key that names nothing yet. Clients list and log project keys, so a key must not contain a secret. */
export function refuseUnfitKey(writtenKey: string, field = 'project_key'): void {
  if (Buffer.byteLength(readProjectKey(writtenKey).key) > MOST_KEY_BYTES)
    throw invalid(field, `A project key has at most ${MOST_KEY_BYTES.toLocaleString('en')} bytes in UTF-8`)
  // Credentials inside an address are dropped when the key is read.
  const [found] = findSecrets(writtenKey.replace(/:\/\/[^/@\s]{0,500}@/, '://'))
  if (found)
    throw invalid(field, `This looks like a secret (${found.kind}). Name the project by its repository`)
}

/** The project, for a call that needs an existing one. */
export function existingProject(resolved: ResolvedProject): Project {
  if (!resolved.project) throw notFound('Project', 'Nothing is remembered under this key.')
  return resolved.project
}
