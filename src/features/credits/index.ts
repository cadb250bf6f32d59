export { dropOldLeftAddresses, keepLeftAddress, LEFT_ADDRESS_DAYS, mayEarn } from './earning.ts'
export {
  bookWaitingBonuses,
  createInvite,
  listMyInvites,
  redeemCode,
  redeemInvite,
  withdrawInvite,
} from './invite-codes.ts'
export {
  balanceOf,
  book,
  hasEarned,
  lockBalances,
  openBalance,
  PUBLIC_SEARCH_COST,
  PUBLISH_REWARD,
  policyOf,
  readBalance,
  readPolicy,
  SIGNUP_BONUS,
  spentOn,
  timesBooked,
} from './ledger.ts'
export { reconcile, reconcileAtNight, reconcileCredits } from './reconciliation.ts'
export { showsCredits } from './shows-credits.ts'
