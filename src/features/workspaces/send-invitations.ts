import { z } from 'zod'
import type { Config } from '../../config.ts'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { randomToken, sha256 } from '../../core/crypto.ts'
import { conflict, notFound, rateLimited } from '../../core/errors.ts'
import { opensElsewhere } from '../../core/own-addresses.ts'
import { AnswerId, Email, Id, normalEmail, Time } from '../../core/schemas.ts'
import { Provenance, withoutLinks } from '../../core/untrusted-text.ts'
import { flag } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { Role, UsersTable, WorkspaceInvitesTable } from '../../db/schema.ts'
import { localTime } from '../../shared/language.ts'
import { DAY_MS } from '../../shared/time.ts'
import { audit } from '../audit/index.ts'
import { findUser, findUserByEmail, languageOf, settingsOf } from '../identity/index.ts'
import { cancelMails, enqueueMail, hasRoomInMailbox, mailWithButton } from '../mail/index.ts'
import { tell } from '../notices/index.ts'
import { policyOf, RoleName, requireAllowedDomain, requireRole } from '../permissions/index.ts'
import { alreadyMember, isMember, OptionalRole, requireShared } from './members.ts'

type Invitation = {
  workspace_name: string
  inviter_name: string
  role: Role
  url: string
  expires_at: string
  language: string
  /** The person has turned e-mail notifications off. An invitation is sent anyway and says why. */
  isUnwanted: boolean
}

const MAY: Record<Role, string> = {
  viewer: 'You will be able to read and search what the team has shared.',
  editor: 'You will be able to read, search and write the cards of the team.',
  admin: 'You will be able to read and write everything in it, and to manage its people.',
}

function invitationMail(invitation: Invitation): {
  subject: string
  text: string
  html: string
} {
  const { role, url, expires_at, language, isUnwanted } = invitation
  const [workspace_name, inviter_name] = [invitation.workspace_name, invitation.inviter_name].map(
    withoutLinks,
  )
  const subject = `${inviter_name} invites you to ${workspace_name}`
  return {
    subject,
    ...mailWithButton({
      heading: subject,
      lines: [`The workspace is in Knowledge Vault, and your role would be ${role}.`, MAY[role]],
      button: { label: 'See the invitation', url },
      footer: [
        'The link works once, until ',
        localTime(language, expires_at),
        '. If you expect no invitation, ignore this mail.',
        ...(isUnwanted
          ? [
              ` You have turned e-mail notifications off; an invitation is still sent, since ${inviter_name} asked for it. To stop mails about it, decline it in the app under Workspaces, or ask them to revoke it; it expires at the time above.`,
            ]
          : []),
      ],
    }),
  }
}

/** Inserts an invitation. A parallel one causes a serialisation failure; the retry then finds the first. */
async function insertInvite(db: Db, row: WorkspaceInvitesTable): Promise<void> {
  await db
    .insertInto('workspace_invites')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function updateInvite(
  db: Db,
  inviteId: string,
  change: Partial<WorkspaceInvitesTable>,
): Promise<void> {
  await db.updateTable('workspace_invites').set(change).where('invite_id', '=', inviteId).execute()
}

function findInvite(
  db: Db,
  workspaceId: string,
  inviteId: string,
): Promise<WorkspaceInvitesTable | undefined> {
  return db
    .selectFrom('workspace_invites')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('invite_id', '=', inviteId)
    .executeTakeFirst()
}

function findOpenInvite(
  db: Db,
  workspaceId: string,
  emailNormal: string,
): Promise<WorkspaceInvitesTable | undefined> {
  return db
    .selectFrom('workspace_invites')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('email_normal', '=', emailNormal)
    .where('status', '=', 'pending')
    .executeTakeFirst()
}

export function findInviteByToken(db: Db, tokenHash: string): Promise<WorkspaceInvitesTable | undefined> {
  return db.selectFrom('workspace_invites').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst()
}

/** Marks the token as used for a registration; returns true for only one of several parallel calls. */
export async function markRegistered(db: Db, tokenHash: string, now: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('workspace_invites')
    .set({ registered_at: now })
    .where('token_hash', '=', tokenHash)
    .where('registered_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export function listInvitesOf(
  db: Db,
  workspaceId: string,
  { history, limit }: { history: boolean; limit?: number },
): Promise<WorkspaceInvitesTable[]> {
  return db
    .selectFrom('workspace_invites')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$if(!history, (query) => query.where('status', '=', 'pending'))
    .orderBy('created_at', 'desc')
    .orderBy('invite_id', 'desc')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute()
}

export function namesFor(
  db: Db,
  invite: Pick<WorkspaceInvitesTable, 'workspace_id' | 'invited_by'>,
): Promise<{ workspace_name: string; inviter_name: string }> {
  return db
    .selectFrom('workspaces')
    .innerJoin('users', (join) => join.on('users.user_id', '=', invite.invited_by))
    .select(['workspaces.name as workspace_name', 'users.display_name as inviter_name'])
    .where('workspaces.workspace_id', '=', invite.workspace_id)
    .executeTakeFirstOrThrow()
}

export async function countOpenInvitesOf(db: Db, workspaceId: string): Promise<number> {
  const { open } = await db
    .selectFrom('workspace_invites')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  return open
}

export async function deleteInvitesOf(db: Db, workspaceId: string): Promise<void> {
  await db.deleteFrom('workspace_invites').where('workspace_id', '=', workspaceId).execute()
}

export type AddressedInvite = WorkspaceInvitesTable & { workspace_name: string; inviter_name: string }

export type Addressee = { userId: string; address: string | null }

export function listInvitesFor(db: Db, to: Addressee, now: string): Promise<AddressedInvite[]> {
  return invitesFor(db, to, now)
    .orderBy('workspace_invites.created_at', 'desc')
    .orderBy('workspace_invites.invite_id', 'desc')
    .execute()
}

export function findInviteFor(
  db: Db,
  to: Addressee,
  inviteId: string,
  now: string,
): Promise<AddressedInvite | undefined> {
  return invitesFor(db, to, now).where('workspace_invites.invite_id', '=', inviteId).executeTakeFirst()
}

const invitesFor = (db: Db, { userId, address }: Addressee, now: string) =>
  db
    .selectFrom('workspace_invites')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'workspace_invites.workspace_id')
    .innerJoin('users', 'users.user_id', 'workspace_invites.invited_by')
    .selectAll('workspace_invites')
    .select(['workspaces.name as workspace_name', 'users.display_name as inviter_name'])
    .where((eb) =>
      eb.or([
        eb('workspace_invites.for_user_id', '=', userId),
        ...(address === null
          ? []
          : [
              eb.and([
                eb('workspace_invites.email_normal', '=', address),
                eb('workspace_invites.address_known', '=', 1),
              ]),
            ]),
      ]),
    )
    .where('workspace_invites.status', '=', 'pending')
    .where('workspace_invites.expires_at', '>', now)

const InviteStatus = z.enum(['pending', 'accepted', 'revoked'])

export const InviteToken = z.string().min(10).max(400)

const WorkspaceInviteCreate = z
  .object({ workspace_id: Id, email: Email, role: OptionalRole })
  .meta({ id: 'WorkspaceInviteCreate' })

export const WorkspaceInviteAccept = z.object({ token: InviteToken }).meta({ id: 'WorkspaceInviteAccept' })

export const WorkspaceInviteResponse = z
  .object({
    invite_id: AnswerId,
    workspace_id: AnswerId,
    email: z.string().describe('Empty where an account was named by its id and wants to be asked first.'),
    role: RoleName,
    status: InviteStatus,
    invited_by: AnswerId,
    created_at: Time,
    expires_at: Time,
    accepted_at: Time.nullable(),
    declined_at: Time.nullable().describe(
      'Set where the invited person declined; the status is revoked then.',
    ),
    provenance: Provenance.describe('Who typed the address'),
  })
  .meta({ id: 'WorkspaceInviteResponse' })

const WorkspaceInviteActionResponse = z
  .object({
    invite: WorkspaceInviteResponse,
    invite_url: z.string().describe('The page where the invitation is accepted. Shown only now.'),
    token: z.string().describe('What the page sends to accept. Shown only now.'),
    email_sent: z
      .boolean()
      .describe(
        'The mail is in the outbox and goes out by itself. false: no mail server, or the address has got 20 invitations today, so hand over the link.',
      ),
    warnings: z.array(z.string()).describe('A link that other computers cannot open.'),
  })
  .meta({ id: 'WorkspaceInviteActionResponse' })

export const WorkspaceInvitePublicResponse = z
  .object({
    workspace_name: z.string(),
    inviter_name: z.string(),
    email: z.string(),
    role: RoleName,
    status: InviteStatus,
    expires_at: Time,
  })
  .meta({ id: 'WorkspaceInvitePublicResponse' })

export const presentInvite = ({
  token_hash,
  registered_at,
  sendings,
  email_normal,
  accepted_by,
  for_user_id,
  address_known,
  ...shown
}: WorkspaceInvitesTable): z.input<typeof WorkspaceInviteResponse> => ({
  ...shown,
  email: address_known === 1 ? shown.email : '',
  provenance: { owner: 'team', workspace: shown.workspace_id, reviewed: false },
})

const LIFETIME_MS = 7 * DAY_MS
/** A limit, because anybody may make a workspace and mail an invitation to any address. */
const SENDINGS_A_MINUTE = 20

/** Limits adding and inviting together: both reach any person that the caller names (spam). */
export function limitMassInvites(ctx: UserCtx): void {
  if (!ctx.config.rateLimit) return
  const state = ctx.limits.hit(`invite:${ctx.viewer.userId}`, SENDINGS_A_MINUTE)
  if (state.exceeded) throw rateLimited(state, 'Too many people added or invited at once.')
}

type Sent = z.input<typeof WorkspaceInviteActionResponse>

type NewToken = {
  token: string
  state: Pick<WorkspaceInvitesTable, 'token_hash' | 'expires_at' | 'registered_at'>
}

function newToken(now: Date): NewToken {
  const token = randomToken()
  const expires_at = new Date(now.getTime() + LIFETIME_MS).toISOString()
  return { token, state: { token_hash: sha256(token), expires_at, registered_at: null } }
}

async function send(ctx: UserCtx, invite: WorkspaceInvitesTable, token: string): Promise<Sent> {
  const invite_url = `${ctx.config.baseUrl}/invite/${token}`
  const person = await findUserByEmail(ctx.db, invite.email)
  const mail = invitationMail({
    ...(await namesFor(ctx.db, invite)),
    role: invite.role,
    url: invite_url,
    expires_at: invite.expires_at,
    language: languageOf(person),
    isUnwanted: person !== undefined && !settingsOf(person).email_notifications,
  })
  await audit(ctx, {
    action: invite.sendings === 1 ? 'invite.created' : 'invite.resent',
    subject: { type: 'invite', id: invite.invite_id },
    workspaceId: invite.workspace_id,
    details: { email: presentInvite(invite).email, role: invite.role },
  })
  const email_sent =
    (await hasRoomInMailbox(ctx, 'invite', invite.email)) &&
    (await enqueueMail(ctx, `invite:${invite.invite_id}:${invite.sendings}`, { to: invite.email, ...mail }))
  return { invite: presentInvite(invite), invite_url, token, email_sent, warnings: linkWarnings(ctx.config) }
}

const linkWarnings = ({ baseUrl }: Config): string[] =>
  opensElsewhere(new URL(baseUrl).hostname)
    ? []
    : [
        `The link begins with ${baseUrl}, which other computers cannot open. The operator of this server sets BASE_URL to the address that people use; then send the invitation again.`,
      ]

type Named = Pick<WorkspaceInvitesTable, 'for_user_id' | 'address_known'>

/** Returns the current address for an invitation. An account that was invited by id may have a new address. */
async function addressNow(
  ctx: UserCtx,
  email: string,
  { for_user_id, address_known }: Named,
): Promise<string> {
  if (address_known === 1 || for_user_id === null) return email
  return (await findUser(ctx.db, for_user_id))?.email ?? email
}

/** Makes a new token. The old token stops working at once, and its waiting mail is cancelled. */
async function sendAgain(
  ctx: UserCtx,
  invite: WorkspaceInvitesTable,
  { role, for_user_id, address_known }: Named & Pick<WorkspaceInvitesTable, 'role'>,
): Promise<Sent> {
  const { token, state } = newToken(ctx.now())
  const sendings = invite.sendings + 1
  const change = { ...state, role, sendings, invited_by: ctx.viewer.userId, for_user_id, address_known }
  await updateInvite(ctx.db, invite.invite_id, change)
  await cancelMails(ctx, `invite:${invite.invite_id}`)
  return send(ctx, { ...invite, ...change, email: await addressNow(ctx, invite.email, change) }, token)
}

type NewInvite = {
  workspaceId: string
  email: string
  role: Role
  forUserId: string | null
  isAddressKnown: boolean
}

async function sendFirst(ctx: UserCtx, given: NewInvite): Promise<Sent> {
  const { workspaceId, email, role, forUserId, isAddressKnown } = given
  const now = ctx.now()
  const { token, state } = newToken(now)
  const invite: WorkspaceInvitesTable = {
    ...state,
    invite_id: newId(),
    workspace_id: workspaceId,
    email,
    email_normal: normalEmail(email),
    role,
    status: 'pending',
    sendings: 1,
    invited_by: ctx.viewer.userId,
    created_at: now.toISOString(),
    accepted_at: null,
    accepted_by: null,
    for_user_id: forUserId,
    declined_at: null,
    address_known: flag(isAddressKnown),
  }
  await insertInvite(ctx.db, invite)
  return send(ctx, invite, token)
}

export const invite = capability({
  name: 'invites.send',
  summary: 'Invite somebody by e-mail address, or send the open invitation again; admins only',
  description:
    'An address that has an open invitation gets it again with a new link; the former link stops working. A role given then replaces the former one.',
  scopes: ['workspace:write'],
  rest: ['POST /api/v1/workspaces/{workspace_id}/invites'],
  errors: [404, 409, 429],
  tool: {
    name: 'invite_workspace_member',
    title: 'Invite member',
    description: 'Invite by e-mail address; if not email_sent, pass invite_url on. Admins only.',
  },
  input: WorkspaceInviteCreate,
  output: WorkspaceInviteActionResponse,
  run: async (ctx, { workspace_id, email, role }) => {
    limitMassInvites(ctx)
    return inTx(ctx, async (ctx) => {
      const { workspace } = await requireRole(ctx, workspace_id, 'admin')
      requireShared(workspace)
      const policy = policyOf(workspace)
      requireAllowedDomain(policy, email)
      const user = await findUserByEmail(ctx.db, email)
      if (user && (await isMember(ctx, workspace_id, user.user_id))) throw alreadyMember()
      // A person with a proven address also finds the invitation in the inbox. Others need the link.
      const forUserId = user?.email_verified === 1 ? user.user_id : null
      return sendTo(
        ctx,
        { workspaceId: workspace_id, email, role, forUserId, isAddressKnown: true },
        policy.defaultRole,
      )
    })
  },
})

/** Checks that the account still has the address, which may belong to another person later. */
async function namedThere(
  ctx: UserCtx,
  { for_user_id, email_normal }: WorkspaceInvitesTable,
): Promise<string | null> {
  if (for_user_id === null) return null
  const user = await findUser(ctx.db, for_user_id)
  return user?.email_normal === email_normal ? for_user_id : null
}

/** Invites an address. An address has at most one open invitation, which is sent again. */
async function sendTo(
  ctx: UserCtx,
  given: Omit<NewInvite, 'role'> & { role: Role | undefined },
  defaultRole: Role,
): Promise<Sent> {
  const { workspaceId, email, forUserId } = given
  const open = await findOpenInvite(ctx.db, workspaceId, normalEmail(email))
  const sent = open
    ? await sendAgain(ctx, open, {
        role: given.role ?? open.role,
        for_user_id: forUserId ?? (await namedThere(ctx, open)),
        address_known: given.isAddressKnown ? 1 : open.address_known,
      })
    : await sendFirst(ctx, { ...given, role: given.role ?? defaultRole })
  if (forUserId !== null) await tellInvited(ctx, forUserId, sent)
  return sent
}

async function tellInvited(ctx: UserCtx, userId: string, { invite }: Sent): Promise<void> {
  const { workspace_name } = await namesFor(ctx.db, invite)
  await tell(ctx, {
    userId,
    kind: 'workspace.invited',
    workspaceId: invite.workspace_id,
    subjectId: invite.invite_id,
    details: { workspace_name, role: invite.role },
  })
}

/** The admin named this account, so its address need not be proven. */
export async function inviteAccount(
  ctx: UserCtx,
  workspaceId: string,
  user: UsersTable,
  { role, isAddressKnown }: { role: Role; isAddressKnown: boolean },
) {
  const given = { workspaceId, email: user.email ?? '', role, forUserId: user.user_id, isAddressKnown }
  const { invite } = await sendTo(ctx, given, role)
  return {
    workspace_id: workspaceId,
    user_id: user.user_id,
    role,
    created_at: invite.created_at,
    status: 'invited' as const,
    invite_id: invite.invite_id,
  }
}

export async function requireOpenInvite(
  ctx: UserCtx,
  workspaceId: string,
  inviteId: string,
): Promise<WorkspaceInvitesTable> {
  await requireRole(ctx, workspaceId, 'admin')
  const found = await findInvite(ctx.db, workspaceId, inviteId)
  if (!found) throw notFound('Invitation')
  if (found.status !== 'pending')
    throw conflict('invite_not_pending', `This invitation has already been ${found.status}.`)
  return found
}

export const resendInvite = capability({
  name: 'invites.resend',
  summary: 'Send an open invitation again with a new link; the former link stops working; admins only',
  scopes: ['workspace:write'],
  rest: ['POST /api/v1/workspaces/{workspace_id}/invites/{invite_id}/resend'],
  errors: [404, 409, 429],
  tool: {
    name: 'resend_workspace_invite',
    title: 'Resend invitation',
    description: 'Resend an open invitation by mail. Admins only.',
  },
  input: WorkspaceInviteCreate.pick({ workspace_id: true }).extend({ invite_id: Id }),
  output: WorkspaceInviteActionResponse,
  run: async (ctx, { workspace_id, invite_id }) => {
    limitMassInvites(ctx)
    return inTx(ctx, async (ctx) => {
      const open = await requireOpenInvite(ctx, workspace_id, invite_id)
      // An invitation to an address is sent to that address again.
      const for_user_id = open.address_known === 1 ? await namedThere(ctx, open) : open.for_user_id
      return sendAgain(ctx, open, { ...open, for_user_id })
    })
  },
})
