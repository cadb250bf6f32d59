/** The texts of these pages, in English. */

// Drafts page
export const drafts = 'Drafts'
export const draftsLead =
  'What your agents solved: a command failed, something was changed, and it worked. Only you see these, and none becomes a card by itself. A draft is kept for 30 days.'
export const noDraftsHint =
  'Drafts come from the exchanges that the hooks of your agents keep, at most three a day. This looks through the old sessions on your computer:'
export const noDrafts = 'No drafts'
export const fix = 'Fix'
export const notSaidInSession = 'The session does not say it. Edit the draft and add it.'
export const cause = 'Cause'
export const openLabel = 'Open'
export const recordedAsCard = 'Recorded as your card.'
export const saidThatItWorked = 'Said that it worked.'
export const dismissedNotice = 'Dismissed.'
export const thisLooksLike = 'This looks like '
export const sameCardHint =
  '. If it is the same, say that it worked: that helps the next person who finds it.'
export const itWorked = 'It worked'
export const acceptAsCard = 'Accept as a card'
export const edit = 'Edit'
export const dismiss = 'Dismiss'
export const problem = 'Problem'
export const causeOptional = 'Cause (optional)'
export const editIsBack = 'What you wrote before is back. Cancel drops it.'
export const draftIsGone = 'This draft was accepted or dismissed elsewhere, or is older than 30 days.'
export const title = 'Title'
export const cancel = 'Cancel'
export const failedTimes = (times: string, exitCode: string) => `Failed ${times}${exitCode}`
export const changedInBetween = 'Changed in between'
export const succeeded = 'Succeeded'
export const copyOutput = (title: string) => `Copy: ${title}`
export const solvedWithoutDraft = 'Solved today without a draft'
export const whyNoDraft = {
  daily_limit: 'more than three drafts a day',
  recorded: 'you have recorded a card of it',
  storage_full: 'your storage is full',
  nothing_changed: 'it went away without a change',
  own_slip: 'a slip in code or tests that the session itself wrote',
  transient: 'network or timing',
  taken_back: 'the change was taken back',
  test_removed: 'the failing test was removed',
} as const
