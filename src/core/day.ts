export const DAY_MS = 86_400_000

/** When the day began, in UTC: at the same moment for everybody. Limits of a day count from here. */
export const dayBegan = (now: Date): string => `${now.toISOString().slice(0, 10)}T00:00:00.000Z`
