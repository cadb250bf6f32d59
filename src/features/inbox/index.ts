export { dropOldNotices, listNotices, readNotices, unreadNotices } from './inbox.ts'
export { addSamples, removeSamples } from './sample-cards.ts'
export { mailTeams, readTeamWeek, teamMailNow } from './team-week.ts'
