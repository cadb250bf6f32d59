import { withoutLinks } from '../../core/names.ts'
import type { Role } from '../../db/tables/workspaces.ts'
import { mailWithButton } from '../mail/template.ts'

export type Invitation = { workspace_name: string; inviter_name: string; role: Role; url: string }

const MAY: Record<Role, string> = {
  viewer: 'You will be able to read and search what the team has shared.',
  editor: 'You will be able to read, search and write the cards of the team.',
  admin: 'You will be able to read and write everything in it, and to manage its people.',
}

export function invitationMail({ workspace_name, inviter_name, role, url }: Invitation): {
  subject: string
  text: string
  html: string
} {
  const subject = `${withoutLinks(inviter_name)} invites you to ${withoutLinks(workspace_name)}`
  return {
    subject,
    ...mailWithButton({
      heading: subject,
      lines: [`The workspace is in Knowledge Vault, and your role would be ${role}.`, MAY[role]],
      button: { label: 'See the invitation', url },
      footer: 'The link works once, for seven days. If you expect no invitation, ignore this mail.',
    }),
  }
}
