import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { type Config, ConfigError, readConfig, withEnvFile } from '../../../config.ts'
import type { Ctx } from '../../../core/context.ts'
import type { Database } from '../../../db/db.ts'
import { requirePresentSchema } from '../../../db/migrations/migrate.ts'
import { databaseFile, openDatabase } from '../../../db/open.ts'
import { DatabaseUnusable, requireUsable } from '../../../db/postgres/requirements.ts'
import { isUnwritable } from '../../../db/sqlite/result-codes.ts'
import { releaseFolders } from '../../../db/sqlite/server-lock.ts'
import {
  bareContext,
  checkBackup,
  checkRestorable,
  reindex,
  restoreBackup,
  takeBackup,
  verifyVault,
} from '../../../features/backup/index.ts'
import { retireKey } from '../../../features/library/index.ts'
import { reindexRescanned } from '../../../features/memory/index.ts'
import { type Progress, rescan, rescanSources } from '../../../features/rescan/index.ts'
import { changeSecretKey, requireKeyOfBackup } from '../../../secret-key.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { readGiven, requireFile } from '../input.ts'
import { asCommandError, endProgress, paint, print, printJson, showProgress } from '../terminal.ts'

/** Operator commands on the database and files of the service, found by the same environment. */

const FIXABLE = [
  'DamagedBackup',
  'TargetNotEmpty',
  'SchemaTooNew',
  'SchemaTooOld',
  'NoVault',
  'OtherProgram',
  'FileExists',
  'BackupUnderway',
  'NoFolder',
  'DamagedDatabase',
  'OtherSecretKey',
  'ServerRunning',
]

export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ConfigError || error instanceof DatabaseUnusable)
      throw new CommandError(error.message, EXIT.usage)
    const known = asCommandError(error)
    if (known) throw known
    if (error instanceof Error && isUnwritable(error))
      throw new CommandError(`The database in DATA_DIR cannot be written: ${error.message}.`)
    if (error instanceof Error && (FIXABLE.includes(error.name) || 'code' in error))
      throw new CommandError(error.message)
    throw error
  }
}

/** Whether the file exists. A folder without permission is an error and does not mean "missing". */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(
      `${resolve(file)} cannot be read (${code}). Run the command as the user of the service, with its DATA_DIR.`,
      EXIT.usage,
    )
  }
}

/** Requires an existing vault: opening a missing database would create an empty one in a mistyped folder. */
function requireVault(config: Config): void {
  const file = databaseFile(config)
  if (config.databaseUrl !== undefined || isThere(file)) return
  throw new CommandError(
    `${resolve(config.dataDir)} has no vault: there is no ${basename(file)} in it. Set DATA_DIR to the folder of the vault.`,
    EXIT.usage,
  )
}

function configOfVault(): Config {
  const config = readConfig(withEnvFile(process.env))
  requireVault(config)
  return config
}

/** Runs a command on a vault. It never migrates: an older service may be running. */
export const withVault = <T>(work: (ctx: Ctx) => Promise<T>): Promise<T> =>
  withDatabase(configOfVault(), async (ctx) => {
    await requirePresentSchema(ctx.database)
    return work(ctx)
  })

const CANCELLED = '57014'

/** Explains a database that went away during the command (PostgreSQL only; on SQLite `explained` does). */
function asGone({ databaseUrl }: Config, database: Database, error: unknown): unknown {
  if (databaseUrl === undefined || !(error instanceof Error) || !database.isUnavailable(error)) return error
  if ('code' in error && error.code === CANCELLED)
    return new CommandError(`The database ended a statement: ${error.message}.`)
  return new CommandError(`The database went away: ${error.message}. Run the command again when it is back.`)
}

async function withDatabase<T>(config: Config, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const database = openDatabase(config, { isPatient: true })
  try {
    if (config.databaseUrl !== undefined) await requireUsable(config.databaseUrl, database)
    return await work(bareContext(config, database)).catch((error) => {
      throw asGone(config, database, error)
    })
  } finally {
    await database.close()
  }
}

const rowsIn = (tables: Record<string, { count: number }>) =>
  Object.values(tables).reduce((sum, { count }) => sum + count, 0)

export const backup = (file: string): Promise<number> =>
  explained(async () => {
    await takeBackup(configOfVault(), file)
    const { end } = await checkBackup(file)
    const { size } = await stat(file)
    print(
      `${file}: ${rowsIn(end.tables)} rows, ${Object.keys(end.files).length} files, ${size} bytes, checked`,
    )
    for (const path of end.missing_files) process.stderr.write(`missing on disk: ${path}\n`)
    return EXIT.done
  })

export const restore = (file: string): Promise<number> =>
  explained(async () => {
    const config = readConfig(withEnvFile(process.env))
    requireFile(file)
    // Checked before the database is opened and thereby created: a refused restore leaves nothing behind.
    const { header, end, key } = await checkRestorable(file, config.dataDir)
    requireKeyOfBackup(config, key)
    await withDatabase(config, (ctx) => restoreBackup(ctx, file, { header, end }))
    print(`Restored the state of ${header.taken_at}: ${rowsIn(end.tables)} rows.`)
    return EXIT.done
  })

export const reindexVault = (): Promise<number> =>
  explained(() =>
    withVault(async (ctx) => {
      const { cards, events } = await reindex(ctx, (done, total) => showProgress(done, total, ' cards'))
      endProgress()
      print(`Indexed ${cards} cards and ${events} memory events.`)
      return EXIT.done
    }),
  )

const onRescan = ({ source, done, total, changed }: Progress): void =>
  showProgress(done, total, `, ${changed} with secrets`, `${source.padEnd(16)} `)

/** Applies the current redaction rules to stored text, or counts the matches in a dry run. */
export const rescanVault = ({ dryRun = false }: { dryRun?: boolean }): Promise<number> =>
  explained(() =>
    withVault(async ({ database }) => {
      const sources = rescanSources({ context_events: reindexRescanned })
      const results = await rescan(database, sources, { dryRun, onProgress: onRescan })
      endProgress()
      for (const { source, read, changed, findings } of results) {
        const kinds = findings.map(({ kind, count }) => `${kind} ${count}`).join(', ')
        const verb = dryRun ? 'would be changed' : 'changed'
        print(`${source}: ${read} read, ${changed} ${verb}${kinds ? ` (${kinds})` : ''}`)
      }
      return EXIT.done
    }),
  )

async function verifyFile(file: string, { json }: { json?: boolean }): Promise<number> {
  requireFile(file)
  const { header, end } = await checkBackup(file)
  if (json) printJson({ file, taken_at: header.taken_at, program: header.program, tables: end.tables })
  else
    print(`${file}: whole, taken ${header.taken_at} by version ${header.program}, ${rowsIn(end.tables)} rows`)
  return EXIT.done
}

export const verify = (file: string | undefined, options: { json?: boolean }): Promise<number> =>
  explained(async () => {
    if (file !== undefined) return verifyFile(file, options)
    const checks = await withVault(verifyVault)
    if (options.json) printJson(checks)
    else
      for (const { what, findings } of checks) {
        const mark = findings.length === 0 ? paint('green', 'ok  ') : paint('red', 'fail')
        print([`${mark}  ${what}`, ...findings.map((finding) => `      ${finding}`)].join('\n'))
      }
    return checks.every(({ findings }) => findings.length === 0) ? EXIT.done : EXIT.failed
  })

/** Rotates the library key after a leak. People who pinned the old key need the new one by another channel. */
export const rotateLibraryKey = (): Promise<number> =>
  explained(() =>
    withVault(async (ctx) => {
      const retired = await retireKey(ctx)
      if (retired === undefined)
        print('No key signs snapshots yet. The service makes one with the first snapshot.')
      else {
        print(`Retired: ${retired}. The service makes a new key and a new snapshot within minutes.`)
        print(
          'Tell those who pull from this server the new key, which /.well-known/knowledge-vault.json lists.',
        )
      }
      return EXIT.done
    }),
  )

const MIN_LENGTH = 32
const MAX_LENGTH = 10_000

async function keyIn(file: string): Promise<string> {
  const key = (await readGiven(file, MAX_LENGTH)).trim()
  if (key.length < MIN_LENGTH || key.length > MAX_LENGTH || /[\r\n]/.test(key))
    throw new ConfigError([`SECRET_KEY: ${file} must hold one line with at least ${MIN_LENGTH} characters`])
  return key
}

export const changeKeyOfVault = ({ keyFile }: { keyFile?: string }): Promise<number> =>
  explained(() =>
    withVault(async (ctx) => {
      const isInSettings = ctx.config.secretKey !== undefined
      if (isInSettings && keyFile === undefined)
        throw new ConfigError(['SECRET_KEY is set: put the new key into a file and name it with --key-file'])
      const given = keyFile === undefined ? undefined : await keyIn(keyFile)
      const changed = await changeSecretKey(ctx, given).finally(releaseFolders)
      print(
        `The secret key is now ${changed.fingerprint} (fingerprint). Sealed anew: ${changed.mails} waiting mails, ${changed.chats} chats with support, ${changed.signingKeys} keys for snapshots of the library.`,
      )
      print(
        isInSettings
          ? 'Set SECRET_KEY to the new key on every machine of this vault before you start it.'
          : `It is in ${changed.file}. Copy the file to every machine of this vault before you start it.`,
      )
      print('Take a new backup: earlier ones need the former key.')
      return EXIT.done
    }),
  )
