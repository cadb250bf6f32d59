export { appealDecision, askForLook } from './appeals.ts'
export { decideMatter, liftBan, listPublishingBans } from './decisions.ts'
export { getModeration, listModeration, readOwnModeration } from './queue.ts'
export { endModerationIn, forgetReportsOf, readReportable, reportCard } from './reports.ts'
