import type { AuditEntry } from '../../api/team.ts'

const words: Record<string, string> = {
  'workspace.created': 'created the workspace',
  'workspace.updated': 'changed the workspace',
  'member.added': 'added a member',
  'member.removed': 'removed a member',
  'member.left': 'left the workspace',
  'member.role_changed': 'changed a role',
  'invite.created': 'invited somebody',
  'invite.resent': 'made a new invitation link',
  'invite.revoked': 'revoked an invitation',
  'invite.accepted': 'accepted an invitation',
  'card.published': 'published a card',
  'card.shared': 'shared a card',
  'card.unpublished': 'took a card back',
  'card.deleted': 'deleted a card',
}

/** The action in words; an action this page does not know yet still reads as one. */
export const actionWords = (action: string) => words[action] ?? action.replace(/[._]/g, ' ')

/** The details as "role: editor, email: …"; nested values as JSON. */
export const detailWords = (details: AuditEntry['details']) =>
  Object.entries(details)
    .filter(([, value]) => value !== null && value !== '')
    .map(
      ([key, value]) =>
        `${key.replace(/_/g, ' ')}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    )
    .join(', ')
