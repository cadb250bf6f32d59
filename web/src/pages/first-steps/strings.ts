/** The texts of these pages, in English. */

// First steps
export const connectYourAgent = 'Connect your agent'
export const seeFirstCall = 'See the first call'
export const writeACard = 'Write a card'
export const searchOnce = 'Search once'
export const inviteSomebody = 'Invite somebody'
export const firstSteps = 'First steps'
export const firstStepsBefore = 'First steps '
export const doneOf = (done: number, all: number) => `${done} of ${all}`
export const putAway = 'Put the first steps away'
export const doneBefore = 'Done:'
export const toDoBefore = 'To do:'
export const samplesAdded = (cards: string) => `${cards} added. Only you see them.`
export const addSampleCards = 'Add sample cards'
export const samplesStay = (cards: string) => ` ${cards} stay: you changed or shared them.`
export const sampleCard = 'sample card'
export const removeSampleCards = 'Remove sample cards'
export const samplesAmongYours = (cards: string) => `${cards} among yours, to look at and to search.`
