import pino from 'pino'
import { buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { contextFor } from '../../core/context.ts'
import { markAllStale, reindex, staleCount } from '../../features/search/reindex.ts'
import { foldChanges } from '../../features/search/vocabulary.ts'

const USAGE = `Brings the search index up to date: cards that an older version has read, and cards that are missing.
The service may go on meanwhile, and an interrupted run goes on where it stopped.

  npm run reindex [-- --all]

  --all   read every card again
`

const BAR_WIDTH = 30

/** On a terminal the bar moves; elsewhere, as in a log, only the end is written. */
function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(share * BAR_WIDTH)
  const bar = `${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}`
  process.stderr.write(`\r[${bar}] ${Math.round(share * 100)} %  ${done} of ${total}`)
}

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  if (args.some((arg) => arg !== '--all')) {
    process.stderr.write(USAGE)
    process.exitCode = args.includes('--help') ? 0 : 2
    return
  }
  const app = await buildApp(readConfig(process.env), { log: pino({ level: 'warn' }), jobs: [] })
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  try {
    const ctx = contextFor(app.services)
    if (args.includes('--all')) await markAllStale(ctx)
    const total = await staleCount(ctx)
    const done = await reindex(ctx, (done) => showProgress(done, total), stopping.signal)
    await foldChanges(ctx)
    if (process.stderr.isTTY) process.stderr.write('\n')
    process.stdout.write(`${done} cards indexed${stopping.signal.aborted ? '; run again to go on' : ''}\n`)
  } finally {
    await app.close()
  }
}

await main()
