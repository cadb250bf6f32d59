import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { contextFor } from '../../src/core/context.ts'
import { verifyVault } from '../../src/features/backup/verify.ts'
import { freePort, startPostgres } from '../support/postgres.ts'
import { type ServerProcess, spawnServer, untilReady } from '../support/process.ts'
import { Writer } from './writer.ts'

const WRITERS = 4
/** Writes that a round waits for before it kills, and how long at most it waits after them. */
const MAX_WRITES = 40
const MAX_MS = 100
/** A fast machine writes so much in a hundred rounds that its searches cost more than the writers earn. */
const CREDITS = 10_000

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** The processes that serve: those without children of their own. */
export const leavesOf = (pid: number): number[] => {
  const children = childrenOf(pid)
  return children.length === 0 ? [pid] : children.flatMap(leavesOf)
}

/** The program after its last end, in the process of the test, where it starts at a tenth of the cost. */
async function servedHere(env: Record<string, string>): Promise<App> {
  const config = readConfig({ ...env, LOG_LEVEL: 'silent' })
  const app = await buildApp(config, { jobs: [] })
  await app.server.listen({ host: '127.0.0.1', port: config.port })
  return app
}

async function findingsIn(app: App): Promise<string[]> {
  const checks = await verifyVault(contextFor(app.services))
  return checks.flatMap(({ what, findings }) => findings.map((finding) => `${what}: ${finding}`))
}

export type KillReport = { acknowledged: number; kills: Record<string, number> }

/** Where a vault lies, and what else than the program can be killed there. */
export type KillSite = {
  env: Record<string, string>
  ways: Record<string, () => Promise<void>>
  destroy: () => Promise<void>
}

const ON_SQLITE: KillSite = { env: {}, ways: {}, destroy: async () => {} }

async function onPostgres(): Promise<KillSite> {
  const server = await startPostgres()
  const crash = async () => {
    await server.stop('immediate')
    await sleep(200)
    await server.start()
  }
  return {
    env: { DATABASE_URL: server.url(), DATABASE_POOL_SIZE: '5' },
    ways: { 'database server': crash },
    destroy: server.destroy,
  }
}

/**
 * Writes of every kind against the real program; at a random moment it is killed (all of it, one worker, or the
 * database server), comes back, and must hold everything that was acknowledged, once and complete. `kinds` are the kinds
 * of kill in their order, if not all.
 */
export async function killAgainAndAgain(
  engine: 'sqlite' | 'postgres' | KillSite,
  rounds: number,
  kinds?: string[],
): Promise<KillReport> {
  const site = engine === 'sqlite' ? ON_SQLITE : engine === 'postgres' ? await onPostgres() : engine
  const env: Record<string, string> = {
    PORT: String(await freePort()),
    WORKERS: !kinds || kinds.includes('worker') ? '2' : '1',
    LOG_LEVEL: 'silent',
    ...site.env,
  }
  let server: ServerProcess = await spawnServer(env)
  env.DATA_DIR = server.dataDir
  const baseUrl = `http://127.0.0.1:${env.PORT}`
  let isLast = false
  let after: App | undefined
  const restart = async () => {
    if (isLast) after = await servedHere(env)
    else server = await spawnServer(env)
  }
  const killAll = async () => {
    process.kill(-(server.child.pid ?? 0), 'SIGKILL')
    await server.exited
  }
  const ways: Record<string, () => Promise<void>> = {
    worker: async () => {
      const [first = 0] = leavesOf(server.child.pid ?? 0)
      process.kill(first, 'SIGKILL')
      // Until then the connections that the clients keep to it look alive, and the next request would be lost in one.
      while (existsSync(`/proc/${first}`)) await sleep(5)
      const isSaid = () => server.output().includes(`Worker ${first} ended by SIGKILL. Another is started.\n`)
      await vi.waitUntil(isSaid, { timeout: 30_000 })
    },
    ...site.ways,
    'whole program': async () => {
      await killAll()
      await restart()
    },
  }

  const report: KillReport = { acknowledged: 0, kills: {} }
  try {
    await untilReady({ ...server, baseUrl })
    const librarian = new Writer(() => baseUrl)
    await librarian.register()
    await librarian.record()
    await librarian.publish()
    const [[cardId, { word }] = ['', { word: '' }]] = librarian.written.cards
    const library = { cardId, word: `${word}1` }
    const writers = Array.from({ length: WRITERS }, () => new Writer(() => baseUrl, library))
    await Promise.all(writers.map((writer) => writer.register()))
    const granted = await server.kvault('admin', 'grant', '--keep-access', librarian.email)
    if (granted.code !== 0) throw new Error(granted.stderr)
    const code = await librarian.makeCode(CREDITS, WRITERS)
    await Promise.all(writers.map((writer) => writer.redeem(code, CREDITS)))

    const acknowledged = () => writers.reduce((sum, writer) => sum + writer.acknowledged, 0)
    for (let round = 0; round < rounds; round++) {
      isLast = round === rounds - 1
      let over = false
      const writing = writers.map((writer) => writer.run(() => over))
      const enough = acknowledged() + Math.random() * MAX_WRITES
      // A writer also ends when a busy server refuses it; when all have ended, more will not come.
      const written = Promise.all(writing).then(() => 'ended')
      while (acknowledged() < enough && (await Promise.race([written, sleep(5)])) !== 'ended');
      await sleep(Math.random() * MAX_MS)
      const names = kinds ?? Object.keys(ways)
      const name = names[round % names.length] as string
      await ways[name]?.()
      over = true
      await Promise.all(writing)
      report.kills[name] = (report.kills[name] ?? 0) + 1
      if (!after) await untilReady({ ...server, baseUrl })
      await Promise.all(writers.map((writer) => writer.settle()))
      for (const writer of writers)
        expect(await writer.stored(), `after round ${round}, ${name}`).toEqual(writer.written.expected())
    }
    report.acknowledged = acknowledged()
    if (!after) {
      await killAll()
      after = await servedHere(env)
    }
    expect(await findingsIn(after)).toEqual([])
    return report
  } finally {
    await after?.close()
    await killAll().catch(() => {})
    await site.destroy()
    server.remove()
  }
}
