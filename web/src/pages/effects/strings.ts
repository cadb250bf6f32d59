/** The texts of these pages, in English. */

// Effects page
export const delivered = 'Delivered'
export const deliveredUnit = 'times that recall was asked'
export const deliveredHint =
  'Agents ask at a failing command and at a prompt. Recall says something only where it is sure.'
export const opened = 'Opened'
export const deliveredCards = 'delivered cards'
export const openedHint = 'The card was read within a day after it was delivered.'
export const judgedAfterwards = 'Judged afterwards'
export const judgedHint = 'The same person gave a verdict on the card after it was delivered.'
export const worked = 'Worked'
export const judgedCards = 'judged cards'
export const workedHint = 'One of these verdicts was “worked”.'
export const failuresAvoided = 'Failures avoided'
export const failuresUnit = 'errors seen again after a delivery'
export const failuresHint = 'Errors you fixed in fewer tries than last time, with a card.'
export const charactersSpent = 'Characters spent'
export const charactersHint = 'The text that agents received. About four characters are one token.'
export const effectsForTeam = 'What it did for the team'
export const effectsForYou = 'What it did for you'
export const teamLead =
  'The last 30 days: sums over the members, about the cards of this workspace alone. Nothing here tells who.'
export const ownLead = 'The last 30 days. Only you see these figures.'
export const rowsAs = (format: string) => `Rows as ${format}`
export const summedOver = (members: number) => `Summed over ${members} members.`
export const figures = 'Figures'
