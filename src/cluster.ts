import type { Worker } from 'node:cluster'
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from './core/errors.ts'
import { type CountedUses, type LimitState, type Limits, memoryLimits } from './core/limits.ts'
import type { MetricsOfAll } from './doors/http/metrics.ts'

type ProcessMetrics = { worker: number; text: string }

type Family = { head: string[]; isSummed: boolean; samples: Map<string, string> }

const isSummedType = (type: string | undefined) => type === 'counter' || type === 'histogram'

const withLabel = (series: string, label: string) =>
  series.includes('{') ? series.replace('{', `{${label},`) : `${series}{${label}}`

class Sums {
  readonly #families = new Map<string, Family>()

  add(text: string, worker?: number): void {
    let family: Family | undefined
    let help = ''
    for (const line of text.split('\n')) {
      const [, kind, name = '', type] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
      if (kind === 'HELP') help = line
      else if (kind === 'TYPE') family = this.#family(name, [help, line], isSummedType(type))
      else if (line !== '' && family) addSample(family, line, worker)
    }
  }

  #family(name: string, head: string[], isSummed: boolean): Family {
    const known = this.#families.get(name)
    if (known) return known
    const made = { head, isSummed, samples: new Map() }
    this.#families.set(name, made)
    return made
  }

  toString(): string {
    const blocks = Array.from(this.#families.values(), ({ head, samples }) =>
      samples.size === 0 ? [] : [...head, ...Array.from(samples, (sample) => sample.join(' ')), ''],
    )
    return blocks.flat().join('\n')
  }
}

/** Adds one sample. The value follows the last space, because labels may contain spaces. */
function addSample({ isSummed, samples }: Family, line: string, worker: number | undefined): void {
  const end = line.lastIndexOf(' ')
  const series = line.slice(0, end)
  const value = line.slice(end + 1)
  if (isSummed) samples.set(series, String(Number(samples.get(series) ?? 0) + Number(value)))
  else if (worker !== undefined) samples.set(withLabel(series, `worker="${worker}"`), value)
}

/** Sums the metrics of all processes, ended ones too: Prometheus takes a falling sum for a restart. */
export function sumMetrics(processes: readonly ProcessMetrics[], ended: string): string {
  const sums = new Sums()
  sums.add(ended)
  for (const { worker, text } of processes) sums.add(text, worker)
  return sums.toString()
}

/** Adds the counters of an ended process. */
export const addCounters = (ended: string, text: string): string => {
  const sums = new Sums()
  for (const counted of [ended, text]) sums.add(counted)
  return sums.toString()
}

const MAX_WAIT_MS = 5000

export type LimitsFromWorker =
  | { uses: CountedUses }
  | { count: { id: number; key: string; perMinute: number } }
export type ToWorker = { uses: CountedUses } | { counted: { id: number; state: LimitState } }

export const isAboutLimits = (message: object): message is LimitsFromWorker =>
  'uses' in message || 'count' in message

export class WorkerLimits {
  readonly #limits = memoryLimits()

  receive(from: Worker, message: LimitsFromWorker): void {
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

export type Channel = {
  tell: (message: LimitsFromWorker) => void
  listen: (hear: (message: ToWorker) => void) => void
}

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
    hitAmongNodes: own.hit,
    raise: own.raise,
    hitTogether: (key, perMinute) =>
      new Promise((resolve, reject) => {
        asked += 1
        const id = asked
        const giveUp = () => {
          // After a long task, timers run before messages that arrived meanwhile.
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

/** Collects the metrics of all workers for `/metrics`, which one worker answers. */

/** In ms; a worker that does not answer in time is shown with its previous metrics. */
const MAX_WAIT_TIME_MS = 1000

export type MetricsFromWorker = { allMetricsFor: number } | { ownMetrics: string }
export type MetricsToWorker =
  | { wantsMetrics: true }
  | { metricsFor: number; processes: ProcessMetrics[]; ended: string }

export const isAboutMetrics = (message: object): message is MetricsFromWorker =>
  'allMetricsFor' in message || 'ownMetrics' in message

type Round = { missing: Set<number>; end: () => void }

/** Passes metrics between workers; the asking worker adds them up. */
export class WorkerMetrics {
  readonly #latest = new Map<number, string>()
  readonly #rounds = new Set<Round>()
  #ended = ''

  receive(worker: Worker, message: MetricsFromWorker): void {
    if ('ownMetrics' in message) {
      this.#latest.set(worker.id, message.ownMetrics)
      this.#arrived(worker)
    } else this.#askAll(worker, message.allMetricsFor)
  }

  workerEnded(worker: Worker): void {
    this.#ended = addCounters(this.#ended, this.#latest.get(worker.id) ?? '')
    this.#latest.delete(worker.id)
    this.#arrived(worker)
  }

  #askAll(asker: Worker, request: number): void {
    const asked = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
    const round = { missing: new Set<number>(), end: () => {} }
    const timer = setTimeout(() => round.end(), MAX_WAIT_TIME_MS)
    round.end = () => {
      clearTimeout(timer)
      this.#rounds.delete(round)
      const processes = Array.from(this.#latest, ([worker, text]) => ({ worker, text }))
      processes.sort((a, b) => a.worker - b.worker)
      const answer: MetricsToWorker = { metricsFor: request, processes, ended: this.#ended }
      if (asker.isConnected()) asker.send(answer)
    }
    this.#rounds.add(round)
    for (const worker of asked) {
      if (!worker) continue
      round.missing.add(worker.id)
      worker.send({ wantsMetrics: true } satisfies MetricsToWorker)
    }
  }

  #arrived({ id }: Worker): void {
    for (const round of this.#rounds) {
      round.missing.delete(id)
      if (round.missing.size === 0) round.end()
    }
  }
}

export type MetricsChannel = {
  tell: (message: MetricsFromWorker) => void
  listen: (hear: (message: MetricsToWorker) => void) => void
}

export const metricsOfAllWorkers =
  ({ tell, listen }: MetricsChannel): MetricsOfAll =>
  (own) => {
    const waiting = new Map<number, (text: string) => void>()
    let requests = 0
    listen((message) => {
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

/** Returns what a worker shares with its siblings, for `buildApp`. */
export function sharedWithSiblings(workers: number) {
  const channel = {
    tell: (message: object) => void process.send?.(message),
    // biome-ignore lint/suspicious/noExplicitAny: each side of the channel knows its own messages
    listen: (hear: (message: any) => void) => void process.on('message', hear),
  }
  return {
    limits: limitsOfWorker(channel),
    metricsOfAll: metricsOfAllWorkers(channel),
    // Workers are numbered from 1; a higher number is a replacement, for which the vault exists.
    mustExist: (cluster.worker?.id ?? 0) > workers,
  }
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000

/** Keeps workers small (decision 0001), also in the installed package, where no script sets flags. */
const HEAP_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=50']

export type SupervisorEvents = {
  ready: () => void
  failed: (exitCode: number) => void
  /** Receives a worker's last words. Before any worker is ready, the common reason is reported once. */
  said: (reason: string) => void
}

type Message = LimitsFromWorker | MetricsFromWorker | { failure: string }

type ClusterMessage = { act?: string; seq?: number; ack?: number }

/** Node waits until a worker accepts; if the worker died, the supervisor declines in its place. */
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
  // Wait for the worker's last message.
  worker.on('exit', () => setImmediate(letGo))
}

const endOf = ({ process: { pid } }: Worker, code: number, signal: string | null): string =>
  `Worker ${pid} ended ${signal ? `by ${signal}` : `with code ${code}`}. Another is started.`

/** Returns the exit code; not 0 if a worker could not stop in order. */
async function stopWorkers(): Promise<number> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  const ended = workers.map(
    (worker) => new Promise<number>((resolve) => worker.once('exit', (code) => resolve(code ?? 0))),
  )
  // Kills remaining workers if the supervisor gives up first.
  process.once('exit', () => {
    for (const worker of workers) if (!worker.isDead()) worker.process.kill('SIGKILL')
  })
  for (const worker of workers) worker.process.kill('SIGTERM')
  return Math.max(0, ...(await Promise.all(ended)))
}

/** Keeps `count` workers behind one port. A dead worker loses only its own requests and is replaced. */
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
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)
    if (!stopping) cluster.fork(settings)
  }

  const tellPerson = (reason: string) => {
    if (up || !explained) events.said(reason)
    explained = true
  }

  cluster.on('fork', (worker) => {
    saveConnections(worker)
    // A write to a worker that has just died fails; without a handler the error would end the supervisor.
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
  // The last of two equal flags counts, so the flags of this process win.
  cluster.setupPrimary({ execArgv: [...HEAP_FLAGS, ...process.execArgv] })
  for (let i = 0; i < count; i++) cluster.fork(settings)

  return {
    stop: () => {
      stopping = true
      return stopWorkers()
    },
  }
}
