import type { UserCtx } from '../../core/context.ts'
import { invalid, notFound } from '../../core/errors.ts'
import type { ProvenanceAnswer } from '../../core/provenance.ts'
import { holdLockOf } from '../../db/locks.ts'
import { requireRole } from '../permissions/permission.ts'
import { findSecrets } from '../redaction/redact.ts'
import { type ProjectName, readProjectKey } from './project-key.ts'
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

/** For transactions that go through `resolveForWriting`. */
export const APPENDING = { isolation: 'read committed' } as const

/**
 * The same for a transaction that writes to the project. It locks the project: at `read committed` one writer waits
 * for the other, while serialisable transactions of different projects in a young vault would conflict again and
 * again.
 */
export async function resolveForWriting(
  ctx: UserCtx,
  writtenKey: string,
  workspaceId: string | null | undefined,
): Promise<ResolvedProject> {
  const { db, database, viewer } = ctx
  let resolved = await resolveProject(ctx, writtenKey, workspaceId)
  if (database.engine === 'sqlite') return resolved
  for (;;) {
    if (!resolved.project) {
      await holdLockOf(db, database.engine, 'newProjects', viewer.userId)
      resolved = await resolveProject(ctx, writtenKey, workspaceId)
      if (!resolved.project) return resolved
    }
    const locked = await lockProject(db, resolved.project)
    if (locked && isNamedAlike(locked, resolved.project)) return { ...resolved, project: locked }
    // It was renamed, merged or deleted in between.
    resolved = await resolveProject(ctx, writtenKey, workspaceId)
  }
}

const isNamedAlike = (a: Project, b: Project): boolean =>
  a.project_key === b.project_key && a.host === b.host && a.workspace_id === b.workspace_id

/** The provenance of memory: agents of this person wrote it, pasted pages and logs included. */
export const ownMemory = (workspaceId: string): ProvenanceAnswer => ({
  owner: 'you',
  workspace: workspaceId,
  reviewed: false,
})

/** Clients list and log project keys, so a key must not contain a secret. */
export function refuseSecretKey(writtenKey: string, field = 'project_key'): void {
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
