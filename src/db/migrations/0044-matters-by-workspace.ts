import type { Migration } from './migrate.ts'

/**
 * One matter waits for each card and workspace. With one for each card, a question to the admins of one's own team would take
 * in the reports that strangers make elsewhere, and those who decide there would never see them.
 */
export const mattersByWorkspace: Migration = {
  name: '0044-matters-by-workspace',
  statements: () => [
    'drop index moderation_matters_waiting',
    `create unique index moderation_matters_waiting on moderation_matters(card_id, workspace_id)
      where status <> 'decided'`,
  ],
}
