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
import { endProgress, quietPipes, showProgress } from '../terminal.ts'
import { configOfVault, explained } from './maintenance.ts'

const USAGE = `Applies the present redaction rules to stored text.

  npm run redact:rescan [-- --dry-run]

  --dry-run   only count what would be replaced
`

const onProgress = ({ source, done, total, changed }: Progress): void =>
  showProgress(done, total, `, ${changed} with secrets`, `${source.padEnd(16)} `)

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
    const results = await rescan(database, sources, { dryRun, onProgress })
    endProgress()
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
