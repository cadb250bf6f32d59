/** The texts of these pages, in English. */

// Guide pages
export const guide = 'Guide'
export const guideLead = 'How to use each part, with the address of this vault filled in.'
export const searchTheGuide = 'Search the guide'
export const tryOtherWords = 'Try other words, or ask in your own.'
export const nothingWithWords = 'The guide has nothing with these words'
export const askSupport = 'Ask support'
export const sectionsFound = 'Sections found'
export const noSuchPage = 'The guide has no such page.'
export const notFound = 'Not found'
export const allPages = 'All pages'
export const startHere = 'Start here'
export const forAgents = 'Your agents'
export const sharingCards = 'Sharing cards'
export const yourAccount = 'Your account'
export const runningAServer = 'Running a server'
export const reference = 'Reference'
