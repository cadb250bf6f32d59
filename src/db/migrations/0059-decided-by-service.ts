import type { Migration } from './migrate.ts'

/**
 * Whether a matter was decided for the service or for a team. The decider's present role does not say so: an admin can make
 * any moderator an admin of the team. Of earlier decisions, those count as the service's that were made where strangers read
 * by nobody who is admin there, has founded it, or had been a member before: an admin of the team may have left since.
 */
export const decidedByService: Migration = {
  name: '0059-decided-by-service',
  statements: () => [
    'alter table moderation_matters add column decided_by_service integer not null default 0',
    `update moderation_matters set decided_by_service = 1
      where was_open = 1 and decision is not null and not exists (
        select 1 from memberships where memberships.workspace_id = moderation_matters.workspace_id
          and memberships.user_id = moderation_matters.decided_by and memberships.role = 'admin')
      and not exists (
        select 1 from workspaces where workspaces.workspace_id = moderation_matters.workspace_id
          and workspaces.created_by = moderation_matters.decided_by)
      and not exists (
        select 1 from audit_log where audit_log.workspace_id = moderation_matters.workspace_id
          and audit_log.subject_id = moderation_matters.decided_by and audit_log.action like 'member.%'
          and audit_log.created_at < moderation_matters.decided_at)`,
  ],
}
