export { listCites, readMissingCites, writeCites } from './card-cites.ts'
export { effectRows, readEffectDays, readEffects } from './effects.ts'
export { feedbackStats, giveFeedback, listFeedback, withdrawFeedback } from './feedback.ts'
export { feedbackMailNow, mailFeedback } from './feedback-mail.ts'
export { linkCards, listLinks, unlinkCards } from './links.ts'
export { mergeCard, unmergeCard } from './merge.ts'
export { refreshAllTrust, refreshDueTrust, refreshTrustIn, stands, trustSubscribers } from './refresh.ts'
export {
  cardsToReview,
  dismissDoubts,
  QueueItem,
  reviewQueue,
  setReviewInterval,
  tellOwners,
} from './review-queue.ts'
export { listVerdicts, newestNotes, noteKey, verifyCard, withdrawVerdicts } from './verdicts.ts'
