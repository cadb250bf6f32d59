/** How the workers of one node count towards the same limits: they share what they count, or let the supervisor count. */
import cluster, { type Worker } from 'node:cluster'
import { unavailable } from './core/errors.ts'
import { type CountedUses, type LimitState, type Limits, memoryLimits } from './core/limits.ts'

const MAX_WAIT_MS = 5000

export type FromWorker = { uses: CountedUses } | { count: { id: number; key: string; perMinute: number } }
export type ToWorker = { uses: CountedUses } | { counted: { id: number; state: LimitState } }

export const isAboutLimits = (message: object): message is FromWorker =>
  'uses' in message || 'count' in message

/** On the side of the supervisor. */
export class WorkerLimits {
  readonly #limits = memoryLimits()

  receive(from: Worker, message: FromWorker): void {
    if ('count' in message) {
      const { id, key, perMinute } = message.count
      send(from, { counted: { id, state: this.#limits.hit(key, perMinute) } })
      return
    }
    for (const worker of Object.values(cluster.workers ?? {}))
      if (worker && worker !== from) send(worker, message)
  }
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message)
}

/** The way to the supervisor and back. */
export type Channel = {
  tell: (message: FromWorker) => void
  listen: (hear: (message: ToWorker) => void) => void
}

/** On the side of a worker. */
export function limitsOfWorker({ tell, listen }: Channel): Limits {
  const own = memoryLimits((uses) => tell({ uses }))
  const waiting = new Map<number, (state: LimitState) => void>()
  let asked = 0
  listen((message) => {
    if ('uses' in message) own.absorb(message.uses)
    else if ('counted' in message) waiting.get(message.counted.id)?.(message.counted.state)
  })
  return {
    hit: own.hit,
    look: own.look,
    owe: own.owe,
    hitTogether: (key, perMinute) =>
      new Promise((resolve, reject) => {
        asked += 1
        const id = asked
        const giveUp = () => {
          // After a long task, timers run before the messages that came meanwhile.
          setImmediate(() => {
            if (waiting.delete(id)) reject(unavailable('The server could not count this request. Try again.'))
          })
        }
        const timer = setTimeout(giveUp, MAX_WAIT_MS)
        waiting.set(id, (state) => {
          clearTimeout(timer)
          waiting.delete(id)
          resolve(state)
        })
        tell({ count: { id, key, perMinute } })
      }),
  }
}
