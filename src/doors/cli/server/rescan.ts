import { reindexRescanned } from '../../../features/memory/index.ts'
import { type Progress, rescan, rescanSources } from '../../../features/rescan/index.ts'
import { EXIT } from '../exit-codes.ts'
import { endProgress, print, showProgress } from '../terminal.ts'
import { explained, withVault } from './maintenance.ts'

const onProgress = ({ source, done, total, changed }: Progress): void =>
  showProgress(done, total, `, ${changed} with secrets`, `${source.padEnd(16)} `)

/** Applies the current redaction rules to stored text, or counts the matches in a dry run. */
export const rescanVault = ({ dryRun = false }: { dryRun?: boolean }): Promise<number> =>
  explained(() =>
    withVault(async ({ database }) => {
      const sources = rescanSources({ context_events: reindexRescanned })
      const results = await rescan(database, sources, { dryRun, onProgress })
      endProgress()
      for (const { source, read, changed, findings } of results) {
        const kinds = findings.map(({ kind, count }) => `${kind} ${count}`).join(', ')
        const verb = dryRun ? 'would be changed' : 'changed'
        print(`${source}: ${read} read, ${changed} ${verb}${kinds ? ` (${kinds})` : ''}`)
      }
      return EXIT.done
    }),
  )
