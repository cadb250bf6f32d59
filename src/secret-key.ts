import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError } from './config.ts'
import type { Ctx, Services } from './core/context.ts'
import { fingerprintOf, randomToken } from './core/crypto.ts'
import { makeFolder } from './core/disk.ts'
import { VaultGone } from './db/db.ts'
import type { BackupKey } from './features/backup/index.ts'
import {
  adoptKey,
  changeKey,
  type GivenKey,
  knownFingerprint,
  nameKey,
  OtherSecretKey,
  otherKey,
  type Resealed,
  withKeyLock,
} from './features/secret-key/index.ts'

const isCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code

const keyFile = (dataDir: string) => join(dataDir, 'secret.key')
/** Holds the next key until it is in the key file. */
const nextKeyFile = (dataDir: string) => join(dataDir, 'secret.key.new')

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError([
      `SECRET_KEY: ${file} cannot be read (${code}). Make it a file that this user may read.`,
    ])
  }
}

/** Processes that start together get the same secret; `mustExist` never creates one. */
export function keptSecret(dataDir: string, mustExist = false): string {
  const file = keyFile(dataDir)
  const kept = read(file)
  if (kept) return kept
  if (mustExist) throw new VaultGone(file)
  makeFolder(dataDir)
  const draft = `${file}.${randomToken(9)}`
  writeFileSync(draft, `${randomToken()}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    // A link shows the file whole or not at all, and never replaces another one.
    linkSync(draft, file)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    unlinkSync(draft)
  }
  const secret = read(file)
  if (!secret)
    throw new ConfigError([
      `SECRET_KEY: ${file} is empty. Restore it from a backup, or remove it to get a new one.`,
    ])
  return secret
}

function givenKey({ secretKey, dataDir }: Config): GivenKey | undefined {
  if (secretKey !== undefined) return { secret: secretKey, source: 'SECRET_KEY' }
  const file = keyFile(dataDir)
  const secret = read(file)
  return secret ? { secret, source: file } : undefined
}

const noKey = ({ dataDir }: Config): string => `SECRET_KEY is unset and ${keyFile(dataDir)} is missing`

/** Completes a key change that stopped after the database knew the new key and before the key file held it. */
function completeChange({ secretKey, dataDir }: Config, known: string | undefined): void {
  const next = secretKey === undefined && known !== undefined ? read(nextKeyFile(dataDir)) : undefined
  if (next && fingerprintOf(next) === known) renameSync(nextKeyFile(dataDir), keyFile(dataDir))
}

export const openSecretKey = (
  config: Config,
  { database, log }: Pick<Services, 'database' | 'log'>,
  mustExist = false,
): Promise<Pick<Services, 'secret' | 'hashKey'>> =>
  withKeyLock(database, async (db) => {
    const known = await knownFingerprint(db, givenKey(config)?.secret)
    completeChange(config, known)
    const { lostSecretKey: lost } = config
    if (!givenKey(config) && !mustExist && known !== undefined && known !== lost)
      throw new OtherSecretKey(
        `${otherKey(noKey(config), known)} If it is lost, start once with LOST_SECRET_KEY=${known}, which makes a new key and lists what cannot be read any more.`,
      )
    const key = givenKey(config) ?? {
      secret: keptSecret(config.dataDir, mustExist),
      source: keyFile(config.dataDir),
    }
    const hashKey = await adoptKey(db, key, lost, (list) =>
      log.warn(
        { lost, fingerprint: fingerprintOf(key.secret) },
        `the lost secret key makes unreadable: ${list}`,
      ),
    )
    return { secret: key.secret, hashKey }
  })

/** Requires the key that the backup's vault last used. Older backups do not name one. */
export function requireKeyOfBackup(config: Config, { fingerprint, file }: BackupKey): void {
  if (fingerprint === undefined || fingerprint === config.lostSecretKey) return
  const inFile = file === undefined ? undefined : { secret: file, source: 'secret.key of the backup' }
  const key = config.secretKey === undefined ? (inFile ?? givenKey(config)) : givenKey(config)
  if (key && fingerprintOf(key.secret) === fingerprint) return
  throw new OtherSecretKey(
    `${otherKey(key ? nameKey(key) : noKey(config), fingerprint)} If it is lost, restore with LOST_SECRET_KEY=${fingerprint}, and start once with the same setting.`,
  )
}

type Changed = Resealed & { fingerprint: string; file: string | undefined }

/** Writes the new key file first, so that after a crash the start finds the right key. */
export async function changeSecretKey(ctx: Ctx, given: string | undefined): Promise<Changed> {
  const { config } = ctx
  completeChange(config, await knownFingerprint(ctx.db, givenKey(config)?.secret))
  const from = givenKey(config)
  if (!from) throw new ConfigError([`SECRET_KEY: ${noKey(config)}; there is no key to change`])
  const to = given ?? randomToken()
  if (to === from.secret) throw new ConfigError(['SECRET_KEY: the new key is the present one'])
  const fingerprint = fingerprintOf(to)
  if (config.secretKey !== undefined)
    return { ...(await changeKey(ctx, from, to)), fingerprint, file: undefined }
  const resealed = await changeKey(ctx, from, to, () => {
    const next = nextKeyFile(config.dataDir)
    rmSync(next, { force: true })
    writeFileSync(next, `${to}\n`, { mode: 0o600, flag: 'wx', flush: true })
  })
  completeChange(config, fingerprint)
  return { ...resealed, fingerprint, file: keyFile(config.dataDir) }
}
