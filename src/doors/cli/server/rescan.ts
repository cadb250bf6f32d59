import { linksToRescan, mergesToRescan } from '../../../features/card-links/rescan.ts'
import { cardCommentsToRescan } from '../../../features/comments/rescan.ts'
import { commentsToRescan } from '../../../features/feedback/rescan.ts'
import { keysToRescan } from '../../../features/identity/credentials/rescan.ts'
import { appsToRescan } from '../../../features/identity/oauth/rescan.ts'
import { peopleToRescan } from '../../../features/identity/users/rescan.ts'
import { codesToRescan } from '../../../features/invite-codes/rescan.ts'
import { searchesToRescan } from '../../../features/kept-searches/rescan.ts'
import { materialsToRescan } from '../../../features/materials/rescan.ts'
import { eventsToRescan } from '../../../features/memory/rescan.ts'
import { draftsToRescan } from '../../../features/mining/rescan.ts'
import { bansToRescan, mattersToRescan, reportsToRescan } from '../../../features/moderation/rescan.ts'
import { noticesToRescan } from '../../../features/notices/rescan.ts'
import { type Progress, rescan } from '../../../features/redaction/rescan.ts'
import { attachmentsToRescan, repliesToRescan, ticketsToRescan } from '../../../features/support/rescan.ts'
import { workspacesToRescan } from '../../../features/workspaces/rescan.ts'
import { EXIT } from '../exit-codes.ts'
import { endProgress, print, showProgress } from '../terminal.ts'
import { explained, withVault } from './maintenance.ts'

const onProgress = ({ source, done, total, changed }: Progress): void =>
  showProgress(done, total, `, ${changed} with secrets`, `${source.padEnd(16)} `)

const SOURCES = [
  eventsToRescan,
  materialsToRescan,
  ticketsToRescan,
  repliesToRescan,
  attachmentsToRescan,
  commentsToRescan,
  cardCommentsToRescan,
  reportsToRescan,
  mattersToRescan,
  bansToRescan,
  appsToRescan,
  keysToRescan,
  peopleToRescan,
  workspacesToRescan,
  noticesToRescan,
  linksToRescan,
  mergesToRescan,
  draftsToRescan,
  searchesToRescan,
  codesToRescan,
]

/** Applies the present redaction rules to stored text, or only counts what they would replace. */
export const rescanVault = ({ dryRun = false }: { dryRun?: boolean }): Promise<number> =>
  explained(() =>
    withVault(async ({ database }) => {
      const results = await rescan(database, SOURCES, { dryRun, onProgress })
      endProgress()
      for (const { source, read, changed, findings } of results) {
        const kinds = findings.map(({ kind, count }) => `${kind} ${count}`).join(', ')
        const verb = dryRun ? 'would be changed' : 'changed'
        print(`${source}: ${read} read, ${changed} ${verb}${kinds ? ` (${kinds})` : ''}`)
      }
      return EXIT.done
    }),
  )
