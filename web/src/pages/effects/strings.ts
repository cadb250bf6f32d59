/** The texts of these pages, in English. */

// Effects page
export const delivered = 'Delivered'
export const deliveredUnit = 'times that recall was asked'
export const deliveredHint = 'At a failing command and at a prompt, only where recall is sure.'
export const failed = 'Failed'
export const opened = 'Opened'
export const deliveredCards = 'delivered cards'
export const openedHint = 'Read within a day.'
export const judgedAfterwards = 'Judged afterwards'
export const judgedHint = 'The same person said afterwards whether it worked.'
export const worked = 'Worked'
export const judgedCards = 'judged cards'
export const workedHint = 'It worked.'
export const failuresAvoided = 'Failures avoided'
export const failuresUnit = 'errors seen again after a delivery'
export const failuresHint = 'Errors you fixed in fewer tries than last time, with a card.'
export const charactersSpent = 'Characters spent'
export const charactersHint = 'What agents received; about four characters are one token.'
export const insights = 'Insights'
export const theLast30Days = 'The last 30 days'
export const teamLead = 'Sums over the members, about the cards of this team alone. Nothing here tells who.'
export const ownLead = 'What your cards and memory did for your agents. Only you see these figures.'
export const rowsAs = (format: string) => `Rows as ${format}`
export const summedOver = (members: number) => `Summed over ${members} members.`
export const figures = 'Figures'
export const nothingYet = 'Nothing delivered yet'
export const nothingYetHint =
  'Once agents are connected, this shows which cards they were given, and whether those worked.'
export const connectYourAgent = 'Connect your agent'
export const reportsAndAppeals = 'Reports and appeals'
export const missedByWeek = 'Searches that found nothing, by week'
