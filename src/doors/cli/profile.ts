import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withoutEnd } from '../../text/unicode.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { behindLink, KVAULT, replaceFile, settingsFolder, vaultOfPackage } from './local-files.ts'

/** The vault and the key of this person, stored in a private file. */
export type Profile = {
  url: string
  apiKey: string
  keyId?: string
  /** The key's owner: waiting entries are not sent for another person. */
  userId?: string
}

const OWNER_ONLY = 0o600

const DEFAULT_URL = 'http://127.0.0.1:8080'

const profileFile = () => join(settingsFolder(), 'profile.json')

/** Writes a private file atomically, because a hook may read it at any moment. */
export function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  replaceFile(behindLink(file), text, OWNER_ONLY)
}

/** Returns an address with lower-case scheme and host, so that one vault has one address; other texts stay. */
export const oneSpelling = (url: string): string =>
  URL.canParse(url) ? withoutEnd(new URL(url).href, '/') : url

export function savedProfile(): Profile | undefined {
  try {
    const saved = JSON.parse(readFileSync(profileFile(), 'utf8'))
    return { ...saved, url: oneSpelling(saved.url) }
  } catch {
    return undefined
  }
}

export const saveProfile = (profile: Profile): void =>
  writePrivate(profileFile(), `${JSON.stringify(profile, null, 2)}\n`)

export const dropProfile = (): void => rmSync(profileFile(), { force: true })

export type ProfileOptions = { url?: string; key?: string }

function tidy(url: string): string {
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url))
    throw new CommandError(
      `"${url}" is not the address of a vault. Write it as https://vault.example.com or http://127.0.0.1:8080.`,
      EXIT.usage,
    )
  // Clients' guides show the MCP address, so people also give that one.
  return oneSpelling(url).replace(/\/mcp$/, '')
}

/** Removes line ends, which no header can carry, and refuses an empty key. */
export function tidyKey(key: string): string {
  const tidied = key.trim()
  if (tidied === '') throw new CommandError('The given API key is empty.', EXIT.notSignedIn)
  if (/[^!-~]/.test(tidied))
    throw new CommandError(
      'The given API key has characters that no key has. Copy the whole key again.',
      EXIT.notSignedIn,
    )
  return tidied
}

const namedUrl = (options: ProfileOptions): string | undefined =>
  options.url ?? (process.env.KVAULT_URL || undefined)

/** Returns the vault to sign in to: the vault that served this command wins over the saved one. */
export const urlToJoin = (options: ProfileOptions): string =>
  tidy(namedUrl(options) ?? vaultOfPackage() ?? savedProfile()?.url ?? DEFAULT_URL)

/** Returns the profile from options, else KVAULT_URL and KVAULT_API_KEY, else the saved one. */
export function findProfile(options: ProfileOptions = {}): Partial<Profile> & { url: string } {
  const saved = savedProfile()
  const url = tidy(namedUrl(options) ?? saved?.url ?? vaultOfPackage() ?? DEFAULT_URL)
  const given = givenKey(options)
  if (given) return { url, apiKey: given }
  if (saved?.url !== url || !saved.apiKey) return { url }
  return { url, apiKey: saved.apiKey, ...(saved.userId ? { userId: saved.userId } : {}) }
}

/** Returns the key given for this call; the saved key does not count. */
export function givenKey(options: ProfileOptions): string | undefined {
  const key = options.key ?? (process.env.KVAULT_API_KEY || undefined)
  return key === undefined ? undefined : tidyKey(key)
}

export function requireProfile(options: ProfileOptions): Profile {
  const { url, apiKey, ...rest } = findProfile(options)
  if (!apiKey)
    throw new CommandError(`No key for ${url}. Run: ${KVAULT} login --url ${url}`, EXIT.notSignedIn)
  return { url, apiKey, ...rest }
}
