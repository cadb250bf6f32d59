import type { Migration } from './migrate.ts'

/** Trust in a published card as the members of the private team that it came from see it; null where that is `trust`. */
export const teamTrust: Migration = {
  name: '0063-team-trust',
  statements: () => ['alter table cards add column team_trust text'],
}
