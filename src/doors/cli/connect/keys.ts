import { hostname } from 'node:os'
import { TOOL_SCOPES } from '../../../core/scopes.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { KVAULT } from '../own-copy.ts'
import { givenKey, type Profile, type ProfileOptions, savedProfile, saveProfile } from '../profile.ts'
import { isInteractive, print } from '../terminal.ts'
import { withUserId } from '../user-id.ts'
import { ask, failure } from '../vault-client.ts'
import { type BrowserSession, signInByBrowser } from './browser-sign-in.ts'

/** A key for one client. With an id it was made for that client and ends with it; without, it is a given or a saved one. */
export type ClientKey = { apiKey: string; keyId?: string }

export type KeyMaker = {
  /** Named after the client and this machine, so that a list of keys says whose each is. */
  keyFor: (title: string) => Promise<ClientKey>
  /** Ends what was needed only to make keys. */
  done: () => Promise<void>
}

export const keyName = (title: string): string => `${title} on ${hostname()}`.slice(0, 120)

export type Created = { api_key: string; key_id: string }
/** What is read of the answer to a request for a key. */
export const CREATED = { api_key: '', key_id: '' }
const asKey = ({ api_key, key_id }: Created): ClientKey => ({ apiKey: api_key, keyId: key_id })

/** Where cards go that are recorded with the new keys. */
type Home = { default_workspace_id?: string }

const NO_HOME = 'only a key that is made now can name a workspace'

/** A given key with the scope account makes narrower keys; any other is used as it is. */
function byGivenKey(url: string, apiKey: string, home: Home): KeyMaker {
  const headers = { 'x-api-key': apiKey }
  return {
    keyFor: async (title) => {
      const body = { name: keyName(title), scopes: TOOL_SCOPES, ...home }
      const reply = await ask(url, '/api/v1/auth/api-keys', { body, headers, shape: CREATED })
      if (reply.status === 201) return asKey(reply.body as Created)
      if (reply.status === 403 && home.default_workspace_id)
        throw new CommandError(`The given key may not make keys, and ${NO_HOME}. Leave out --key.`)
      if (reply.status === 403) return { apiKey }
      throw failure(reply)
    },
    done: async () => {},
  }
}

/** Whether the key still opens its vault. Any answer but 401 is one to somebody it knows. */
export const isAccepted = async ({ url, apiKey }: Profile): Promise<boolean> =>
  (await ask(url, '/api/v1/auth/me', { headers: { 'x-api-key': apiKey } })).status !== 401

const shared = (saved: Profile): KeyMaker => ({
  keyFor: async () => {
    if (await isAccepted(saved)) return { apiKey: saved.apiKey }
    throw new CommandError(
      `The key of kvault login has ended. Run: ${KVAULT} login --url ${saved.url}`,
      EXIT.notSignedIn,
    )
  },
  done: async () => {},
})

function byBrowser(url: string, tell: (line: string) => void, home: Home): KeyMaker {
  let session: BrowserSession | undefined
  return {
    keyFor: async (title) => {
      session ??= await signInByBrowser(url, tell)
      const headers = { authorization: `Bearer ${session.token}` }
      const body = { name: keyName(title), ...home }
      const reply = await ask(url, '/api/v1/auth/api-keys/agent', { body, headers, shape: CREATED })
      if (reply.status !== 201) throw failure(reply)
      return asKey(reply.body as Created)
    },
    done: async () => session?.end(),
  }
}

/**
 * Where keys come from: a key that was given; else a person at a browser. A script without either shares the key that
 * `kvault login` saved.
 */
export function keyMaker(
  url: string,
  options: ProfileOptions & { workspace?: string },
  tell: (line: string) => void,
): KeyMaker {
  const home = options.workspace === undefined ? {} : { default_workspace_id: options.workspace }
  const given = givenKey(options)
  if (given) return byGivenKey(url, given, home)
  const saved = savedProfile()
  if (saved?.url !== url || isInteractive()) return byBrowser(url, tell, home)
  if (options.workspace !== undefined)
    throw new CommandError(`The saved key would be shared, and ${NO_HOME}. Give one with --key.`)
  return shared(saved)
}

/** A key that was made and could not be used ends, because nobody would know of it. One that the person gave stays. */
export async function takeBackKey(url: string, key: ClientKey | undefined): Promise<void> {
  if (key?.keyId) await endKey(url, key.apiKey).catch(() => {})
}

/** Saves a profile whose key may just have been made. */
export async function keepProfile(profile: Profile): Promise<void> {
  const known = await withUserId(profile)
  try {
    saveProfile(known)
  } catch (error) {
    await takeBackKey(profile.url, profile)
    throw error
  }
}

/** Whether the saved key is of this vault, and accepted there. */
export async function hasOwnProfile(url: string): Promise<boolean> {
  const saved = savedProfile()
  return saved?.url === url && (await isAccepted(saved))
}

/** The command and all hooks share a key of their own, so they are all of one vault. */
export async function saveOwnProfile(url: string, maker: KeyMaker): Promise<void> {
  if (await hasOwnProfile(url)) return
  await keepProfile({ url, ...(await maker.keyFor('kvault')) })
  print(`${KVAULT} and all hooks here use ${url} from now on.`)
}

/** Deletes a key with itself. A key that no longer exists counts as deleted. */
export async function endKey(url: string, apiKey: string): Promise<void> {
  const reply = await ask(url, '/api/v1/auth/api-keys/current', {
    method: 'DELETE',
    headers: { 'x-api-key': apiKey },
  })
  if (![204, 401, 404].includes(reply.status)) throw failure(reply)
}
