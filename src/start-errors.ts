import cluster from 'node:cluster'
import { writeSync } from 'node:fs'
import { isUnwritable } from './db/sqlite/result-codes.ts'

const STDERR = 2
const EXIT_FAILED = 1
const EXIT_MISCONFIGURED = 2

type StartError = Error & {
  code?: string
  syscall?: string
  port?: number
  path?: string
  address?: string
  hostname?: string
}

type Explained = { message: string; exitCode: number }

const SAID_BY_ITSELF = [
  'SchemaTooNew',
  'SchemaTooOld',
  'OtherProgram',
  'DamagedDatabase',
  'VaultGone',
  'OtherSecretKey',
  'PoolerSettings',
  'DatabaseUnusable',
]
const NOT_WRITABLE = [
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOSPC',
  'EDQUOT',
]
const NOT_A_FOLDER = ['EEXIST', 'ENOENT']
const FULL = ['ENOSPC', 'EDQUOT']
/** EINVAL: the name is too long. */
const UNKNOWN_HOST = ['ENOTFOUND', 'EAI_AGAIN', 'EINVAL']
/** EINVAL: an address such as `fe80::1` lacks its zone. EAFNOSUPPORT: the system has no IPv6. */
const NOT_HERE = ['EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT']

function sentenceOnListening({ code = '', ...error }: StartError): string | undefined {
  if (code === 'EADDRINUSE') return `Port ${error.port} is in use. Set PORT to a free one.`
  if (NOT_HERE.includes(code) && error.address !== undefined)
    return `${error.address} is no address of this computer. Set HOST to one that is, such as 127.0.0.1.`
  if (UNKNOWN_HOST.includes(code) && error.hostname !== undefined)
    return `${error.hostname} is no known host name. Set HOST to an address of this computer, such as 127.0.0.1.`
  if (code === 'EACCES' && error.syscall === 'listen')
    return `Port ${error.port} needs rights that this user does not have. Set PORT to 1024 or more.`
  return undefined
}

function sentenceOnDisk(error: StartError): string | undefined {
  const { code = '', path, syscall } = error
  if (path && (NOT_WRITABLE.includes(code) || (syscall === 'mkdir' && NOT_A_FOLDER.includes(code))))
    return `${path} cannot be written (${code}). Set DATA_DIR to a folder that this user may write to.`
  const reason = FULL.includes(code) ? code : isUnwritable(error) ? error.message : undefined
  if (reason === undefined) return undefined
  return `The vault's files in DATA_DIR cannot be written (${reason}). Free some space, or set DATA_DIR to another folder.`
}

function sentence(error: StartError): string | undefined {
  if (error.name === 'ConfigError') return error.message.replaceAll(/^/gm, 'configuration: ')
  if (SAID_BY_ITSELF.includes(error.name)) return error.message
  return sentenceOnListening(error) ?? sentenceOnDisk(error)
}

/** Errors that a person can fix become one line; others show their stack. */
export function explainStart(error: StartError): Explained {
  const message = sentence(error)
  if (message !== undefined) return { message, exitCode: EXIT_MISCONFIGURED }
  return { message: error.stack ?? String(error), exitCode: EXIT_FAILED }
}

/** Writes a line to standard error, which may be closed. */
export function say(message: string): void {
  try {
    writeSync(STDERR, `${message}\n`)
  } catch {}
}

/** Prints why the start failed, and exits. A worker sends it to the supervisor, which prints it once. */
export function failStart(error: StartError): never {
  const { message, exitCode } = explainStart(error)
  if (cluster.isWorker && process.send) {
    process.send({ failure: message })
    process.disconnect()
  } else say(message)
  process.exit(exitCode)
}
