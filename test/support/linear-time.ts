/** How much longer the larger text is. What is linear takes eight times as long then, what is quadratic 64 times. */
const TIMES = 8
const TOO_MUCH = 24

/** What a clock cannot tell from nothing, in ms. */
const NOTHING = 2
const TRIES = 5

/**
 * The processor time of a function in ms, in its own thread: collecting the garbage of all tests before goes on in others.
 * Node before 23.9 only knows the time of all threads.
 */
function threadTime(run: () => unknown): number {
  const usage = process.threadCpuUsage ?? process.cpuUsage
  const before = usage()
  run()
  const { user, system } = usage(before)
  return (user + system) / 1000
}

/** The quickest of several, in ms: a busy machine does not look like a slow function then. */
export function quickest(run: () => unknown, enough: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < TRIES && best > enough; i++) best = Math.min(best, threadTime(run))
  return best
}

/**
 * Whether the time grows faster than the text: two measurements of one run, so the machine does not matter. Processor time
 * counts, which a busy machine takes no part of.
 */
export function growsTooFast(run: (length: number) => unknown, length: number): boolean {
  const short = Math.max(
    quickest(() => run(length), NOTHING),
    NOTHING,
  )
  return quickest(() => run(length * TIMES), short * TOO_MUCH) > short * TOO_MUCH
}
