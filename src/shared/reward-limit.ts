/** An account could earn credits with well-formed nonsense; per owner and day (UTC). */
export const MAX_PUBLISH_REWARDS_PER_DAY = 20
