import { type Ctx, inTx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { audit } from '../audit/audit.ts'
import { findUserByEmail } from '../identity/users/users.ts'
import { tell } from '../notices/tell.ts'
import { findMembership, setRole } from './members.store.ts'
import { workspaceName } from './workspaces.store.ts'

/** For a workspace without an admin: the operator of the server makes one of its members admin. */
export const appointAdmin = (ctx: Ctx, workspaceId: string, email: string): Promise<string> =>
  inTx(ctx, async (ctx) => {
    const user = await findUserByEmail(ctx.db, email)
    const member = user && (await findMembership(ctx.db, workspaceId, user.user_id))
    if (!user || !member) throw notFound('Member', `${email} is not a member of that workspace.`)
    // The role is stored as given by another, so that they are free to leave.
    await setRole(ctx.db, workspaceId, user.user_id, 'admin', user.user_id)
    const workspace_name = await workspaceName(ctx.db, workspaceId)
    await tell(ctx, {
      userId: user.user_id,
      kind: 'workspace.role_changed',
      workspaceId,
      details: { workspace_name, role: 'admin' },
    })
    await audit(ctx, {
      action: 'member.role_changed',
      subject: { type: 'user', id: user.user_id },
      workspaceId,
      details: { from: member.role, to: 'admin', why: 'appointed by the operator of the server' },
    })
    return workspace_name
  })
