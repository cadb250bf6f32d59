import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandError, EXIT } from './exit-codes.ts'

/** Which vault this person uses and with which key; kept in a file only they can read. */
export type Profile = { url: string; apiKey: string; keyId?: string }

export const DEFAULT_URL = 'http://127.0.0.1:8080'

export const profileFolder = (): string =>
  process.env.KVAULT_HOME ?? join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'kvault')

const profileFile = () => join(profileFolder(), 'profile.json')

export function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, text, { mode: 0o600 })
}

export function savedProfile(): Profile | undefined {
  try {
    return JSON.parse(readFileSync(profileFile(), 'utf8'))
  } catch {
    return undefined
  }
}

export const saveProfile = (profile: Profile): void =>
  writePrivate(profileFile(), `${JSON.stringify(profile, null, 2)}\n`)

export const dropProfile = (): void => rmSync(profileFile(), { force: true })

export type ProfileOptions = { url?: string; key?: string }

/** Options first, then KVAULT_URL and KVAULT_API_KEY, then what `kvault login` saved. */
export function findProfile(options: ProfileOptions = {}): Partial<Profile> & { url: string } {
  const saved = savedProfile()
  const url = (options.url ?? process.env.KVAULT_URL ?? saved?.url ?? DEFAULT_URL).replace(/\/+$/, '')
  const apiKey = options.key ?? process.env.KVAULT_API_KEY ?? (saved?.url === url ? saved.apiKey : undefined)
  return { url, ...(apiKey ? { apiKey } : {}) }
}

export function requireProfile(options: ProfileOptions = {}): Profile {
  const { url, apiKey } = findProfile(options)
  if (!apiKey) throw new CommandError(`No key for ${url}. Run: kvault login --url ${url}`, EXIT.notSignedIn)
  return { url, apiKey }
}
