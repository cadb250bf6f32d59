import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { settingsFolder } from '../folders.ts'
import { writePrivate } from '../profile.ts'

/** A file that was changed, with what is needed to undo exactly that. */
export type KeptFile = {
  file: string
  /** Its text before our first change; null if there was none. */
  before: string | null
  mode?: number
  /** A hash of the file as we left it: only an unchanged file is restored to `before`. */
  digest: string
}

/** What `connect` did for one client, so that `disconnect` can undo exactly that. */
export type Connection = {
  client: string
  url: string
  file: string
  /** The file before our first change; null if there was none. */
  before: string | null
  /** Its mode before: with a key in it, the file was made private. */
  mode?: number
  /** A hash of the file as we left it: only an unchanged file is restored to `before`. */
  digest: string
  apiKey?: string
  /** The id of the key that was made for this client only. */
  keyId?: string
  /** The files with its hooks. */
  hooks?: KeptFile[]
}

const folder = () => join(settingsFolder(), 'connections')
const fileOf = (client: string) => join(folder(), `${client}.json`)

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export function connectionOf(client: string): Connection | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(client), 'utf8'))
  } catch {
    return undefined
  }
}

export const saveConnection = (connection: Connection): void =>
  writePrivate(fileOf(connection.client), `${JSON.stringify(connection, null, 2)}\n`)

export const dropConnection = (client: string): void => rmSync(fileOf(client), { force: true })

export const connections = (): Connection[] =>
  existsSync(folder())
    ? readdirSync(folder()).flatMap((name) => connectionOf(name.replace(/\.json$/, '')) ?? [])
    : []
