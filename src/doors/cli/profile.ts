import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withoutEnd } from '../../text/unicode.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { behindLink, KVAULT, replaceFile, settingsFolder, vaultOfPackage } from './local-files.ts'

/** Which vault this person uses and with which key; kept in a file only they can read. */
export type Profile = {
  url: string
  apiKey: string
  keyId?: string
  /** Whose key it is: what waits on this machine is sent for no other person. */
  userId?: string
}

const OWNER_ONLY = 0o600

const DEFAULT_URL = 'http://127.0.0.1:8080'

const profileFile = () => join(settingsFolder(), 'profile.json')

/** A hook may read it at any moment: half of the switches of a person would be none, and half of a profile no sign-in. */
export function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  replaceFile(behindLink(file), text, OWNER_ONLY)
}

/** Scheme and host in small letters, so that one vault has one address. What is no address stays as it is. */
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
  // The guides of clients show where MCP is, so that address is given for the one of its vault.
  return oneSpelling(url).replace(/\/mcp$/, '')
}

/**
 * A key from a file or a clipboard often ends with a line end, which no header can carry. An empty one, as of a variable of
 * the shell that is not set, must not become the key that is saved here, or a sign-in by the browser.
 */
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

/** For signing in: the vault that this command came from wins over the one that was used before. */
export const urlToJoin = (options: ProfileOptions): string =>
  tidy(namedUrl(options) ?? vaultOfPackage() ?? savedProfile()?.url ?? DEFAULT_URL)

/** Options first, then KVAULT_URL and KVAULT_API_KEY, then what `kvault login` or `connect` saved. */
export function findProfile(options: ProfileOptions = {}): Partial<Profile> & { url: string } {
  const saved = savedProfile()
  const url = tidy(namedUrl(options) ?? saved?.url ?? vaultOfPackage() ?? DEFAULT_URL)
  const given = givenKey(options)
  if (given) return { url, apiKey: given }
  if (saved?.url !== url || !saved.apiKey) return { url }
  return { url, apiKey: saved.apiKey, ...(saved.userId ? { userId: saved.userId } : {}) }
}

/** A key that was given for this call, as opposed to the saved one. */
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
