import { localTime } from '../../core/language.ts'
import { withoutLinks } from '../../core/names.ts'
import type { Role } from '../../db/tables/workspaces.ts'
import { mailWithButton } from '../mail/template.ts'

export type Invitation = {
  workspace_name: string
  inviter_name: string
  role: Role
  url: string
  expires_at: string
  /** The language of the invited person, if they have an account. */
  language: string
  /** The person has turned e-mail notifications off. An invitation is sent anyway and says why. */
  isUnwanted: boolean
}

const MAY: Record<Role, string> = {
  viewer: 'You will be able to read and search what the team has shared.',
  editor: 'You will be able to read, search and write the cards of the team.',
  admin: 'You will be able to read and write everything in it, and to manage its people.',
}

export function invitationMail(invitation: Invitation): {
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
