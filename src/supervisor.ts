import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAboutLimits, type FromWorker as LimitsMessage, WorkerLimits } from './worker-limits.ts'
import { isAboutMetrics, type FromWorker as MetricsMessage, WorkerMetrics } from './worker-metrics.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** Keeps workers small (decision 0001), also those of the installed package, which no script starts with flags. */
const HEAP_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=50']

export type SupervisorEvents = {
  /** The first worker answers on the port. */
  ready: () => void
  /** A worker ended before any was up: nothing to keep running. */
  failed: (exitCode: number) => void
  /** A worker says why it ends, or has ended. Before any is up they all end for one reason, which is said once. */
  said: (reason: string) => void
}

type Message = LimitsMessage | MetricsMessage | { failure: string }

type ClusterMessage = { act?: string; seq?: number; ack?: number }

/**
 * Node hands a connection to a worker and waits for its word that it has it. A worker that dies before that would leave the
 * client without an answer, for ever. In its place we say that it does not take the connection, so the next worker gets it.
 */
function saveConnections({ process: worker }: Worker): void {
  let handed: number | undefined
  const send = worker.send.bind(worker)
  worker.send = (message: ClusterMessage, ...rest: unknown[]) => {
    if (message.act === 'newconn') handed = message.seq
    return (send as (...sent: unknown[]) => boolean)(message, ...rest)
  }
  worker.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack === handed) handed = undefined
  })
  const letGo = () => {
    if (handed !== undefined)
      worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: handed, accepted: false })
  }
  // What the worker said last is read before.
  worker.on('exit', () => setImmediate(letGo))
}

/** A worker that the system kills, as for want of memory, says nothing itself. */
const endOf = ({ process: { pid } }: Worker, code: number, signal: string | null): string =>
  `Worker ${pid} ended ${signal ? `by ${signal}` : `with code ${code}`}. Another is started.`

/** Returns the exit code: another than 0 if a worker could not end in order. */
async function stopWorkers(): Promise<number> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  const ended = workers.map(
    (worker) => new Promise<number>((resolve) => worker.once('exit', (code) => resolve(code ?? 0))),
  )
  // Only if this process gives up before them: no worker outlives it.
  process.once('exit', () => {
    for (const worker of workers) if (!worker.isDead()) worker.process.kill('SIGKILL')
  })
  for (const worker of workers) worker.process.kill('SIGTERM')
  return Math.max(0, ...(await Promise.all(ended)))
}

/**
 * Keeps `count` processes behind one port. The port belongs to this process, which does nothing else, so a worker that
 * dies takes only its own requests with it and is replaced. All of them get the same settings.
 */
export function supervise(
  count: number,
  settings: NodeJS.ProcessEnv,
  events: SupervisorEvents,
): { stop: () => Promise<number> } {
  let up = false
  let stopping = false
  let explained = false
  let pauseMs = FIRST_PAUSE_MS
  const metrics = new WorkerMetrics()
  const limits = new WorkerLimits()

  const replace = async () => {
    await sleep(pauseMs)
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
    if (!stopping) cluster.fork(settings)
  }

  const tellPerson = (reason: string) => {
    if (up || !explained) events.said(reason)
    explained = true
  }

  cluster.on('fork', (worker) => {
    saveConnections(worker)
    // What is written to a worker that has just died cannot arrive; its exit follows. Unheard, it would end this process.
    worker.on('error', () => {})
  })
  cluster.on('message', (worker, message: Message) => {
    if ('failure' in message) tellPerson(message.failure)
    else if (isAboutMetrics(message)) metrics.receive(worker, message)
    else if (isAboutLimits(message)) limits.receive(worker, message)
  })
  cluster.on('listening', () => {
    pauseMs = FIRST_PAUSE_MS
    if (!up) events.ready()
    up = true
  })
  cluster.on('exit', (worker, code, signal) => {
    metrics.workerEnded(worker)
    if (stopping) return
    if (!up) return events.failed(code || 1)
    events.said(endOf(worker, code, signal))
    void replace()
  })
  // The last of two equal flags counts: what this process was started with.
  cluster.setupPrimary({ execArgv: [...HEAP_FLAGS, ...process.execArgv] })
  for (let i = 0; i < count; i++) cluster.fork(settings)

  return {
    stop: () => {
      stopping = true
      return stopWorkers()
    },
  }
}
