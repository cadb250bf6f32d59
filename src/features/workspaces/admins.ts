import { type Ctx, inTx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import type { UsersTable } from '../../db/schema.ts'
import { audit } from '../audit/index.ts'
import { endAccess, findUserByEmail, listGrantedAdmins, newResetLink, updateUser } from '../identity/index.ts'
import { tell } from '../notices/index.ts'
import { findMembership, setRole } from './members.ts'
import { createAccount } from './sign-in.ts'
import { workspaceName } from './workspaces.ts'

// Grants admin rights. Call these functions from the server's command line only, never over HTTP or MCP.

type Granted = { email: string; isNew: boolean; link: string | undefined }

async function requireAccount(ctx: Ctx, email: string): Promise<UsersTable> {
  const user = await findUserByEmail(ctx.db, email)
  if (!user) throw notFound('Account', `Nobody here has the address ${email}.`)
  return user
}

const setAdmin = async (ctx: Ctx, user: UsersTable, service_admin: 0 | 1): Promise<void> => {
  await updateUser(ctx.db, user.user_id, { service_admin, updated_at: ctx.now().toISOString() })
  await audit(ctx, {
    action: service_admin === 1 ? 'admin.granted' : 'admin.revoked',
    subject: { type: 'user', id: user.user_id },
  })
}

/** Returns whether the account exists with an unproven address, which anybody may have registered. */
export async function isUnproven(ctx: Ctx, email: string): Promise<boolean> {
  const user = await findUserByEmail(ctx.db, email)
  return user !== undefined && user.email_verified !== 1
}

/** With `takeAccess`, an unproven account loses all credentials, because a stranger may hold it. */
export const grantAdmin = (ctx: Ctx, email: string, takeAccess = false): Promise<Granted> =>
  inTx(ctx, async (ctx) => {
    const known = await findUserByEmail(ctx.db, email)
    const account = { email, displayName: undefined, passwordHash: null, googleSubject: null }
    const user = known ?? (await createAccount(ctx, account))
    await setAdmin(ctx, user, 1)
    if (user.email_verified === 1 || (known && !takeAccess)) return { email, isNew: !known, link: undefined }
    await updateUser(ctx.db, user.user_id, { password_hash: null, google_subject: null })
    await endAccess(ctx, user.user_id)
    const { url } = await newResetLink(ctx, user.user_id)
    return { email, isNew: !known, link: url }
  })

export const revokeAdmin = (ctx: Ctx, email: string): Promise<void> =>
  inTx(ctx, async (ctx) => {
    const user = await requireAccount(ctx, email)
    if (user.service_admin !== 1)
      throw conflict('not_granted', `${email} was not granted here. Look at ADMIN_EMAILS.`)
    await setAdmin(ctx, user, 0)
  })

export const grantedAdmins = (ctx: Ctx): Promise<string[]> => listGrantedAdmins(ctx.db)

/** Returns the link that a mail would contain, for a server without mail. */
export const resetLinkFor = (ctx: Ctx, email: string): Promise<string> =>
  inTx(ctx, async (ctx) => {
    const user = await requireAccount(ctx, email)
    await audit(ctx, { action: 'account.reset_link_made', subject: { type: 'user', id: user.user_id } })
    return (await newResetLink(ctx, user.user_id)).url
  })

/** Makes a member admin of a workspace without one; run by the server's operator. */
export const appointAdmin = (ctx: Ctx, workspaceId: string, email: string): Promise<string> =>
  inTx(ctx, async (ctx) => {
    const user = await findUserByEmail(ctx.db, email)
    const member = user && (await findMembership(ctx.db, workspaceId, user.user_id))
    if (!user || !member) throw notFound('Member', `${email} is not a member of that workspace.`)
    // Stored as given by another person, so that the new admin may leave.
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
