import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { fill, next, sentence } from './memory/fill.ts'
import { report } from './support/report.ts'

/**
 * Agent Memory with many events: does a snapshot cost the same in a small and in a large project, and does a
 * search in the large one stay under its bar? `BIG` events in one project, `SMALL` in another, `ALL` in the table.
 */
const ALL = Number(process.env.ALL ?? 1_000_000)
const BIG = Number(process.env.BIG ?? 100_000)
const SMALL = Number(process.env.SMALL ?? 1000)
const ROUNDS = Number(process.env.ROUNDS ?? 300)

type Times = { p50: number; p95: number; cpu95: number; answers: number }

async function measure(app: App, token: string, urls: string[]): Promise<Times> {
  const headers = { authorization: `Bearer ${token}` }
  const times: number[] = []
  const cpuTimes: number[] = []
  let answers = 0
  for (const url of urls) {
    const cpu = process.cpuUsage()
    const begin = performance.now()
    const answer = await app.server.inject({ method: 'GET', url, headers })
    times.push(performance.now() - begin)
    const { user, system } = process.cpuUsage(cpu)
    cpuTimes.push((user + system) / 1000)
    if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${answer.payload}`)
    if (!answer.payload.includes('"results":[]')) answers += 1
  }
  const at = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  times.sort((a, b) => a - b)
  cpuTimes.sort((a, b) => a - b)
  return { p50: at(times, 0.5), p95: at(times, 0.95), cpu95: at(cpuTimes, 0.95), answers }
}

/** With DATA_DIR the filled vault is kept for the next measurement. */
const dataDir = process.env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'knowledge-vault-memory-bench-'))
const isFilled = existsSync(join(dataDir, 'filled'))
const account = { email: 'bench@example.com', password: 'a long password' }
const app = await buildApp(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', RATE_LIMIT: 'off' }), {
  log: pino({ level: 'silent' }),
})
try {
  const signedIn = await app.server.inject({
    method: 'POST',
    url: `/api/v1/auth/${isFilled ? 'login' : 'register'}`,
    payload: account,
  })
  const { access_token, user } = signedIn.json()
  const owner = { userId: user.user_id, workspaceId: user.personal_workspace_id }
  if (!isFilled) {
    await fill(app, owner, 'bench/small', SMALL)
    await fill(app, owner, 'bench/big', BIG)
    for (let rest = ALL - BIG - SMALL, part = 1; rest > 0; rest -= BIG, part += 1) {
      await fill(app, owner, `bench/other${part}`, Math.min(rest, BIG))
    }
    writeFileSync(join(dataDir, 'filled'), `${ALL} events\n`)
  }

  const snapshot = (key: string) => `/api/v1/project-context/snapshot?project_key=${key}`
  const search = (text: string, mode: string) =>
    `/api/v1/project-context/search?project_key=bench/big&mode=${mode}&query=${encodeURIComponent(text)}`
  const many = (make: () => string) => Array.from({ length: ROUNDS }, make)
  const needle = () => {
    const text = sentence(2)
    return next() < 0.5 ? text : text.slice(1, 5 + Math.floor(next() * 8))
  }
  const series: [name: string, urls: string[]][] = [
    [`snapshot, ${SMALL} events`, many(() => snapshot('bench/small'))],
    [`snapshot, ${BIG} events`, many(() => snapshot('bench/big'))],
    ['search substring', many(() => search(needle(), 'substring'))],
    ['search substring, nothing there', many(() => search(`zq${sentence(1)}`, 'substring'))],
    ['search ranked, 4 words', many(() => search(sentence(4), 'ranked'))],
  ]
  const rows: Record<string, string | number>[] = []
  const p50: number[] = []
  let met = true
  for (const [name, urls] of series) {
    await measure(app, access_token, urls.slice(0, 50))
    const times = await measure(app, access_token, urls)
    p50.push(times.p50)
    if (name.startsWith('search') && times.p95 >= 30) met = false
    rows.push({
      what: name,
      'p50 ms': times.p50.toFixed(2),
      'p95 ms': times.p95.toFixed(2),
      'cpu p95 ms': times.cpu95.toFixed(2),
      found: times.answers,
    })
  }
  console.table(rows)
  const ratio = (p50[1] as number) / (p50[0] as number)
  console.log(
    `snapshot with ${BIG} events costs ${ratio.toFixed(2)} × the one with ${SMALL} (bar 1.5); searches under 30 ms p95: ${met ? 'yes' : 'no'}`,
  )
  report([
    {
      what: `snapshot with ${BIG} events, of the one with ${SMALL}`,
      measured: ratio.toFixed(2),
      bar: 'at most 1.5',
      met: ratio <= 1.5,
    },
    { what: 'searches of a project, p95', measured: met ? 'all under' : 'not all under', bar: '30 ms', met },
  ])
  if (!met || ratio > 1.5) process.exitCode = 1
} finally {
  await app.close()
  if (!process.env.DATA_DIR) rmSync(dataDir, { recursive: true, force: true })
}
