import { join } from 'node:path'

/** Seals what waits in the outbox: without it, mails that were promised could not be sent after a restore. */
export const SECRET_FILE = 'secret.key'

export const ticketFile = (ticketId: string, attachmentId: string): string =>
  join('tickets', ticketId, attachmentId)

const ID = '[0-9a-f-]{36}'
const KNOWN = new RegExp(`^(${SECRET_FILE.replace('.', '\\.')}|tickets/${ID}/${ID})$`)

/** A backup may come from anywhere: only the files that a vault has are ever written. */
export const isVaultFile = (path: string): boolean => KNOWN.test(path)
