import { z } from 'zod'
import { Provenance } from '../../core/provenance.ts'
import { AnswerId, Email, Id, Time } from '../../core/schemas.ts'
import type { WorkspaceInvitesTable } from '../../db/tables/workspaces.ts'
import { RoleName } from '../permissions/policy.ts'
import { OptionalRole } from '../workspaces/members.ts'

const InviteStatus = z.enum(['pending', 'accepted', 'revoked'])

export const InviteToken = z.string().min(10).max(400)

export const WorkspaceInviteCreate = z
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

export const WorkspaceInviteActionResponse = z
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
