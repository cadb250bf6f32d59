import { openDatabase } from '../../../db/engines/open.ts'
import { requirePresentSchema } from '../../../db/migrations/migrate.ts'
import { cardCommentsToRescan } from '../../../features/comments/rescan.ts'
import { commentsToRescan } from '../../../features/feedback/rescan.ts'
import { materialsToRescan } from '../../../features/materials/rescan.ts'
import { eventsToRescan } from '../../../features/memory/rescan.ts'
import { bansToRescan, mattersToRescan, reportsToRescan } from '../../../features/moderation/rescan.ts'
import { type Progress, rescan } from '../../../features/redaction/rescan.ts'
import { repliesToRescan, ticketsToRescan } from '../../../features/support/rescan.ts'
import { reportError } from '../known-errors.ts'
import { quietPipes } from '../terminal.ts'
import { configOfVault, explained } from './maintenance.ts'

const USAGE = `Applies the present redaction rules to stored text.

  npm run redact:rescan [-- --dry-run]

  --dry-run   only count what would be replaced
`

const BAR_WIDTH = 30

function bar({ source, done, total, changed }: Progress): string {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(share * BAR_WIDTH)
  const drawn = `${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}`
  return `${source.padEnd(16)} [${drawn}] ${Math.round(share * 100)} %  ${done} of ${total}, ${changed} with secrets`
}

/** On a terminal the bar moves; elsewhere, as in a log, only its end is written. */
function showProgress(progress: Progress): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${bar(progress)}`)
}

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  if (args.some((arg) => arg !== '--dry-run')) {
    process.stderr.write(USAGE)
    process.exitCode = args.includes('--help') ? 0 : 2
    return
  }
  const dryRun = args.includes('--dry-run')
  const database = openDatabase(configOfVault())
  try {
    await requirePresentSchema(database)
    const sources = [
      eventsToRescan,
      materialsToRescan,
      ticketsToRescan,
      repliesToRescan,
      commentsToRescan,
      cardCommentsToRescan,
      reportsToRescan,
      mattersToRescan,
      bansToRescan,
    ]
    const results = await rescan(database, sources, { dryRun, onProgress: showProgress })
    if (process.stderr.isTTY) process.stderr.write('\n')
    for (const { source, read, changed, findings } of results) {
      const kinds = findings.map(({ kind, count }) => `${kind} ${count}`).join(', ')
      const verb = dryRun ? 'would be changed' : 'changed'
      process.stdout.write(`${source}: ${read} read, ${changed} ${verb}${kinds ? ` (${kinds})` : ''}\n`)
    }
  } finally {
    await database.close()
  }
}

quietPipes()
await explained(main).catch((error: unknown) => {
  process.exitCode = reportError(error)
})
