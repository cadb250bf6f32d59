/** How much longer the larger text is. What is linear takes eight times as long then, what is quadratic 64 times. */
const TIMES = 8
const TOO_MUCH = 24

/** Less than this, in ms, is warming up and chance. */
const NOTHING = 2
const MEASURABLE = 12
const MAX_RUNS = 256
const TRIES = 3

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

/**
 * The processor time of one run in ms. The clock of a thread moves in steps of up to 4 ms, so what takes a few of
 * them is run again until several steps have passed.
 */
function timeOfRun(run: () => unknown): number {
  for (let runs = 1; ; runs *= 2) {
    const time = threadTime(() => {
      for (let i = 0; i < runs; i++) run()
    })
    if (time >= MEASURABLE || runs >= MAX_RUNS) return time / runs
  }
}

function wallTime(run: () => unknown): number {
  const began = performance.now()
  run()
  return performance.now() - began
}

/**
 * The quickest of several, in ms: a busy machine does not look like a slow function then. Wall time is never less than
 * processor time and has no steps, so it is enough where it is short.
 */
export function quickest(run: () => unknown, enough: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < TRIES && best > enough; i++) best = Math.min(best, wallTime(run))
  for (let i = 0; i < TRIES && best > enough; i++) best = Math.min(best, timeOfRun(run))
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
