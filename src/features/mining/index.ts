export { acceptDraft } from './accept.ts'
export { dismissDraft, getDraft, listDrafts, offerDrafts, reopenDraft } from './drafts.ts'
export { dropOldDrafts, mineDueSessions } from './job.ts'
