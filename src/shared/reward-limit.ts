/**
 * How many publications of one owner earn on one day (UTC). The review cannot tell sense from well-formed nonsense, so
 * without a limit an account could make credits out of nothing. The web app names the limit too.
 */
export const MAX_PUBLISH_REWARDS_PER_DAY = 20
