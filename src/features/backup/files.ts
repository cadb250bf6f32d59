import { posix } from 'node:path'

/** Seals what waits in the outbox: without it, mails that were promised could not be sent after a restore. */
export const SECRET_FILE = 'secret.key'

/** As a backup names the file, the same on every system. `join` it with the data folder to reach it on the disk. */
export const ticketFile = (ticketId: string, attachmentId: string): string =>
  posix.join('tickets', ticketId, attachmentId)

const ID = '[0-9a-f-]{36}'
const KNOWN = new RegExp(`^(${SECRET_FILE.replace('.', '\\.')}|tickets/${ID}/${ID})$`)

/** A backup may come from anywhere: only the files that a vault has are ever written. */
export const isVaultFile = (path: string): boolean => KNOWN.test(path)
