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
  /** Of the file as we left it: only an untouched one is put back to `before`. */
  digest: string
}

/** What `connect` did for one client, so that `disconnect` can undo exactly that. */
export type Connection = {
  client: string
  url: string
  file: string
  /** The file before our first change; null if there was none. */
  before: string | null
  /** Its mode then: a key in it made it its owner's alone. */
  mode?: number
  /** Of the file as we left it: only an untouched one is put back to `before`. */
  digest: string
  apiKey?: string
  /** Of a key that was made for this client alone. */
  keyId?: string
  /** Files in which its hooks stand. */
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
