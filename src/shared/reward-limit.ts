/**
 * Limit of rewarded publications of one owner per day (UTC), because an account could earn credits with
 * well-formed nonsense. The web app states this limit too.
 */
export const MAX_PUBLISH_REWARDS_PER_DAY = 20
