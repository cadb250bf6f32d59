import { interpret } from './token-terms.ts'

/**
 * English words that say nothing about what a card is about. They are indexed like every other word and dropped from
 * queries only, so that a query made of nothing else ("to be or not to be") still finds its card, as a weak result.
 * The last few are what an apostrophe leaves of "isn't" and "we've".
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by
  can could did do does doing done for from further get got had has have having he her here hers him his how i if in
  into is it its itself just let me more most my no nor not of off on once only or other our out over own per please
  same she should so some such than that the their them then there these they this those through to too under until up
  us use used using via very was we were what when where whether which while who whom why will with would you your s t d ll re ve`
    .split(/\s+/)
    .filter(Boolean),
)

/** As the index knows them; no slip is taken to mean one of these. */
export const STOP_STEMS: ReadonlySet<string> = new Set(
  [...STOP_WORDS].flatMap((word) => interpret(word).terms),
)
