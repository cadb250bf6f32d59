import { z } from 'zod'
import type { Ctx, UserCtx } from '../../core/context.ts'
import { forbidden, notFound } from '../../core/errors.ts'
import { openObject } from '../../core/validation.ts'
import { fromJsonOrNull } from '../../db/columns.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import type { Role, UsersTable, WorkspacesTable } from '../../db/schema.ts'
import { DANGER_RULES, type DangerRuleId, SEVERITIES, type Severity } from '../../review/rule.ts'
import { isEveryAddressProven } from '../mail/index.ts'

const RANK: Record<Role, number> = { viewer: 1, editor: 2, admin: 3 }

export const hasRole = (role: Role | null | undefined, minimum: Role): boolean =>
  role != null && RANK[role] >= RANK[minimum]

export const roleIn = (ctx: UserCtx, workspaceId: string): Promise<Role | undefined> =>
  roleOf(ctx, workspaceId, ctx.viewer.userId)

export async function roleOf(ctx: Ctx, workspaceId: string, userId: string): Promise<Role | undefined> {
  const row = await ctx.db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.role
}

export const mayKnowOf = (visibility: WorkspacesTable['visibility'] | null, role: Role | null): boolean =>
  role !== null || visibility !== 'private'

type Access = { workspace: WorkspacesTable; role: Role | null }

export async function requireVisible(ctx: UserCtx, workspaceId: string): Promise<Access> {
  const row = await ctx.db
    .selectFrom('workspaces')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'workspaces.workspace_id')
        .on('memberships.user_id', '=', ctx.viewer.userId),
    )
    .selectAll('workspaces')
    .select('memberships.role')
    .where('workspaces.workspace_id', '=', workspaceId)
    .where((eb) =>
      eb.or([eb('memberships.role', 'is not', null), eb('workspaces.visibility', '!=', 'private')]),
    )
    .executeTakeFirst()
  if (!row) throw notFound('Workspace')
  const { role, ...workspace } = row
  return { workspace, role }
}

/** Throws 404 if the viewer may not know of the workspace, else 403. */
export async function requireRole(
  ctx: UserCtx,
  workspaceId: string,
  minimum: Role,
): Promise<{ workspace: WorkspacesTable; role: Role }> {
  const { workspace, role } = await requireVisible(ctx, workspaceId)
  if (role === null || !hasRole(role, minimum))
    throw forbidden(
      minimum === 'viewer'
        ? 'This is for members of the workspace.'
        : `This needs the role ${minimum}${minimum === 'editor' ? ' or admin' : ''} in the workspace.`,
    )
  return { workspace, role }
}

export const publishingTarget = async (ctx: UserCtx, workspaceId: string): Promise<WorkspacesTable> => {
  const { workspace } =
    workspaceId === PUBLIC_LIBRARY_ID
      ? await requireVisible(ctx, workspaceId)
      : await requireRole(ctx, workspaceId, 'editor')
  return workspace
}

const ROLES = ['admin', 'editor', 'viewer'] as const satisfies readonly Role[]
export const RoleName = z.enum(ROLES)

const MAX_POLICY_BYTES = 64 * 1024

/** Letters of any language, digits and hyphens; host names may also have underscores. */
const LABEL = String.raw`[^\s!-,./:-@\x5b-^\x60{-~]+`

const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(255)
  .regex(new RegExp(`^${LABEL}(\\.${LABEL})*$`), 'Input should be a domain such as example.com')

const Weight = z.enum(SEVERITIES).optional()
const DangerRules = z.strictObject(
  Object.fromEntries(DANGER_RULES.map((rule) => [rule, Weight])) as Record<DangerRuleId, typeof Weight>,
)

/** Unknown keys are stored unchanged and have no effect. */
export const PolicyJson = openObject(
  {
    allow_publish: z
      .boolean()
      .optional()
      .describe('false: cards of this workspace cannot be published elsewhere.'),
    invite_domains: z
      .array(Domain)
      .max(100)
      .optional()
      .describe('Only people with an e-mail address in one of these domains can be added or invited.'),
    trust_half_life_days: z
      .int()
      .min(7)
      .max(3650)
      .optional()
      .describe('After this many days a verdict on a card counts half (180 if left out).'),
    review_after_days: z
      .int()
      .min(7)
      .max(3650)
      .optional()
      .describe(
        'Cards that nobody has confirmed for this many days go to the review queue (never if left out).',
      ),
    keep_missed_searches: z
      .boolean()
      .optional()
      .describe(
        'false: the words of members’ searches that found nothing here are not kept (they are if left out).',
      ),
    danger_rules: DangerRules.optional().describe(
      'How severe a finding of danger is here, by rule: block, warn or note.',
    ),
    download_hosts: z
      .array(Domain)
      .max(200)
      .optional()
      .describe('Hosts that cards may download from, in addition to the well-known ones.'),
    default_role: RoleName.optional().describe('The role of people who are added or invited without one.'),
  },
  MAX_POLICY_BYTES,
).describe(
  'Rules such as invite_domains, default_role; with an effect: allow_publish, invite_domains, default_role, trust_half_life_days, review_after_days, keep_missed_searches, danger_rules, download_hosts',
)

export type Policy = {
  allowPublish: boolean
  /** Null if every address is accepted. */
  inviteDomains: readonly string[] | null
  defaultRole: Role
  trustHalfLifeDays: number
  keepMissedSearches: boolean
  dangerRules: Partial<Record<DangerRuleId, Severity | undefined>>
  downloadHosts: readonly string[]
}

const HALF_LIFE_DAYS = 180

/** The review queue reads its key of the policy in SQL, which must stay in step. */
export function policyOf(workspace: Pick<WorkspacesTable, 'policy_json'>): Policy {
  const stated = fromJsonOrNull<z.output<typeof PolicyJson>>(workspace.policy_json)
  const domains = stated?.invite_domains ?? []
  return {
    allowPublish: stated?.allow_publish ?? true,
    inviteDomains: domains.length > 0 ? domains : null,
    defaultRole: stated?.default_role ?? 'viewer',
    trustHalfLifeDays: stated?.trust_half_life_days ?? HALF_LIFE_DAYS,
    keepMissedSearches: stated?.keep_missed_searches ?? true,
    dangerRules: stated?.danger_rules ?? {},
    downloadHosts: stated?.download_hosts ?? [],
  }
}

export const domainAllowed = ({ inviteDomains }: Policy, email: string): boolean =>
  inviteDomains === null || inviteDomains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())

export function requireAllowedDomain(policy: Policy, email: string): void {
  if (!domainAllowed(policy, email))
    throw forbidden(
      `This workspace accepts only people of these domains: ${policy.inviteDomains?.join(', ')}.`,
    )
}

type Addressee = Pick<UsersTable, 'email_normal' | 'email_verified'>

/** If the server sends mail, only a confirmed address counts: anybody can type an address of a domain. */
export const isProven = (ctx: Ctx, user: Addressee): boolean =>
  user.email_verified === 1 || isEveryAddressProven(ctx)

export function requireProvenDomain(ctx: Ctx, policy: Policy, user: Addressee): void {
  requireAllowedDomain(policy, user.email_normal ?? '')
  if (policy.inviteDomains !== null && !isProven(ctx, user))
    throw forbidden('This person has not confirmed the e-mail address. Send an invitation to it instead.')
}
