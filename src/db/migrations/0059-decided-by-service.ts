import type { Migration } from './migrate.ts'

/**
 * Whether a matter was decided for the service or for a team. The decider's present role does not say so: an admin can make
 * any moderator an admin of the team. Of earlier decisions, those count as the service's that were made where strangers read
 * by nobody who is admin there.
 */
export const decidedByService: Migration = {
  name: '0059-decided-by-service',
  statements: () => [
    'alter table moderation_matters add column decided_by_service integer not null default 0',
    `update moderation_matters set decided_by_service = 1
      where was_open = 1 and decision is not null and not exists (
        select 1 from memberships where memberships.workspace_id = moderation_matters.workspace_id
          and memberships.user_id = moderation_matters.decided_by and memberships.role = 'admin')`,
  ],
}
