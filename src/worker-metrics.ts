/** `/metrics` is answered by one worker, for all of them: how it gets what the others have measured. */
import cluster, { type Worker } from 'node:cluster'
import { addCounters, type ProcessMetrics, sumMetrics } from './core/metrics-text.ts'
import type { MetricsOfAll } from './doors/http/metrics.ts'

/** A worker that does not answer by then is shown with what it told before. */
const LONGEST_WAIT_MS = 1000

export type FromWorker = { allMetricsFor: number } | { ownMetrics: string }
export type ToWorker =
  | { wantsMetrics: true }
  | { metricsFor: number; processes: ProcessMetrics[]; ended: string }

export const isAboutMetrics = (message: object): message is FromWorker =>
  'allMetricsFor' in message || 'ownMetrics' in message

type Round = { missing: Set<number>; end: () => void }

/** On the side of the supervisor, which passes texts on and leaves it to the worker to add them up. */
export class WorkerMetrics {
  readonly #latest = new Map<number, string>()
  readonly #rounds = new Set<Round>()
  #ended = ''

  receive(worker: Worker, message: FromWorker): void {
    if ('ownMetrics' in message) {
      this.#latest.set(worker.id, message.ownMetrics)
      this.#arrived(worker)
    } else this.#askAll(worker, message.allMetricsFor)
  }

  /** What it has counted since it was last asked is lost. */
  workerEnded(worker: Worker): void {
    this.#ended = addCounters(this.#ended, this.#latest.get(worker.id) ?? '')
    this.#latest.delete(worker.id)
    this.#arrived(worker)
  }

  #askAll(asker: Worker, request: number): void {
    const asked = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
    const round = { missing: new Set<number>(), end: () => {} }
    const timer = setTimeout(() => round.end(), LONGEST_WAIT_MS)
    round.end = () => {
      clearTimeout(timer)
      this.#rounds.delete(round)
      const processes = Array.from(this.#latest, ([worker, text]) => ({ worker, text }))
      processes.sort((a, b) => a.worker - b.worker)
      const answer: ToWorker = { metricsFor: request, processes, ended: this.#ended }
      if (asker.isConnected()) asker.send(answer)
    }
    this.#rounds.add(round)
    for (const worker of asked) {
      if (!worker) continue
      round.missing.add(worker.id)
      worker.send({ wantsMetrics: true } satisfies ToWorker)
    }
  }

  #arrived({ id }: Worker): void {
    for (const round of this.#rounds) {
      round.missing.delete(id)
      if (round.missing.size === 0) round.end()
    }
  }
}

/** The way to the supervisor and back. */
export type Channel = {
  tell: (message: FromWorker) => void
  listen: (hear: (message: ToWorker) => void) => void
}

/** On the side of a worker: makes of its own metrics those of all workers. */
export const metricsOfAllWorkers =
  ({ tell, listen }: Channel): MetricsOfAll =>
  (own) => {
    const waiting = new Map<number, (text: string) => void>()
    let requests = 0
    listen((message) => {
      // If it cannot be measured, the supervisor has what was told before.
      if ('wantsMetrics' in message)
        own().then(
          (ownMetrics) => tell({ ownMetrics }),
          () => {},
        )
      if (!('metricsFor' in message)) return
      waiting.get(message.metricsFor)?.(sumMetrics(message.processes, message.ended))
      waiting.delete(message.metricsFor)
    })
    return () =>
      new Promise((resolve) => {
        requests++
        waiting.set(requests, resolve)
        tell({ allMetricsFor: requests })
      })
  }
