import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Hex } from '../../core/content-hash.ts'
import type { Ctx } from '../../core/context.ts'
import { isNoRoom, requireRoom } from './room.ts'
import { takeBackup } from './take.ts'

const HOUR_MS = 3_600_000
/** An unfinished backup that has not grown for this long was left by a process that died. */
const ABANDONED_MS = 15 * 60_000
/** How long a backup for which there was no room is not tried again: each try reads the whole vault. */
const PAUSE_MS = HOUR_MS
/** The last part tells vaults apart that share a folder; earlier versions wrote none. */
const NAME = /^vault-\d{8}T\d{6}Z(-[\da-f]{8})?\.kvbackup$/
const PARTIAL = /^vault-\d{8}T\d{6}Z(-[\da-f]{8})?\.kvbackup\.partial$/

/** The same on all machines of a vault, as its key is. */
const markOf = ({ hashKey }: Ctx) => `-${sha256Hex(`backups:${hashKey}`).slice(0, 8)}`

function isOwn(ctx: Ctx, name: string): boolean {
  const found = NAME.exec(name)
  return found !== null && (found[1] === undefined || found[1] === markOf(ctx))
}

const stamp = (time: number) => new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '')

/** Whatever period they are of: nobody else removes them, and each may be as large as a backup. */
async function dropAbandoned(dir: string, names: readonly string[], now: number): Promise<void> {
  for (const name of names) {
    if (!PARTIAL.test(name)) continue
    const path = join(dir, name)
    const found = await stat(path).catch(() => undefined)
    if (found && now - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true })
  }
}

/** In the folder, so that the other processes wait too. */
const pauseFile = (ctx: Ctx, dir: string) => join(dir, `vault${markOf(ctx)}.no-room`)

async function isPaused(file: string, now: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found !== undefined && Math.abs(now - found.mtimeMs) < PAUSE_MS
}

async function beginPause(file: string, now: Date): Promise<void> {
  await writeFile(file, '', { mode: 0o600 })
  await utimes(file, now, now)
}

const isMadeElsewhere = (error: unknown) =>
  error instanceof Error && ['FileExists', 'BackupUnderway'].includes(error.name)

/**
 * One backup for each period of BACKUP_EVERY_HOURS, named after its beginning. All processes try; the name of the
 * unfinished file, which only one can create, decides who does it.
 */
export async function backUpOnSchedule(ctx: Ctx): Promise<string | undefined> {
  const settings = ctx.config.backup
  if (!settings) return undefined
  const { dir, everyHours, keep } = settings
  const now = ctx.now()
  const periodMs = everyHours * HOUR_MS
  const period = stamp(Math.floor(now.getTime() / periodMs) * periodMs)
  const file = join(dir, `vault-${period}${markOf(ctx)}.kvbackup`)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const names = await readdir(dir)
  await dropAbandoned(dir, names, now.getTime())
  const pause = pauseFile(ctx, dir)
  if (names.some((name) => join(dir, name) === file) || (await isPaused(pause, now.getTime())))
    return undefined
  try {
    await takeBackup(ctx.config, file, { now, lookForRoom: () => requireRoom(ctx.config, dir) })
  } catch (error) {
    if (isMadeElsewhere(error)) return undefined
    // Where even an empty file has no room, the reason of the failure is still the one to tell.
    if (isNoRoom(error)) await beginPause(pause, now).catch(() => {})
    throw error
  }
  await rm(pause, { force: true })
  ctx.log.info({ file }, 'backed up')
  // Those that a wrong clock has dated later are not counted: each new one would be removed at once for them.
  const all = (await readdir(dir)).filter((name) => isOwn(ctx, name) && join(dir, name) <= file).sort()
  for (const old of all.slice(0, -keep)) await rm(join(dir, old), { force: true })
  return file
}
