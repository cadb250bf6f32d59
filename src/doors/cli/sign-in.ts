import { TOOL_SCOPES } from '../../core/scopes.ts'
import { signInByBrowser } from './connect/browser-sign-in.ts'
import { connections } from './connect/connections.ts'
import { agreed, type ConsentOptions, requireEncryption } from './connect/consent.ts'
import {
  CREATED,
  type Created,
  endKey,
  isAccepted,
  keepProfile,
  keyName,
  takeBackKey,
} from './connect/keys.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { readGiven } from './given-file.ts'
import { KVAULT } from './own-copy.ts'
import {
  dropProfile,
  type Profile,
  type ProfileOptions,
  savedProfile,
  tidyKey,
  urlToJoin,
} from './profile.ts'
import { paint, print, secretQuestion, warn } from './terminal.ts'
import { ask, failure } from './vault-client.ts'

export type LoginOptions = ProfileOptions & { email?: string; passwordStdin?: boolean; http?: boolean }

async function keyWorks(url: string, apiKey: string): Promise<void> {
  const reply = await ask(url, '/mcp/tools/list_workspaces', {
    body: {},
    headers: { 'x-api-key': apiKey },
    // Some other service may answer everything with JSON, and hooks would send it what people say.
    shape: { data: { items: [{ workspace_id: '' }] } },
  })
  // A key without the scope "search" is still a key.
  if (reply.status !== 200 && reply.status !== 403) throw failure(reply)
}

const sharers = (apiKey: string): string[] =>
  connections().flatMap((connection) => (connection.apiKey === apiKey ? [connection.client] : []))

/** A key that kvault made for the same vault ends when the next one replaces it, unless a client shares it. */
async function endFormer(former: Profile | undefined, { url, apiKey }: Profile): Promise<void> {
  if (!former || former.url !== url || former.apiKey === apiKey) return
  const users = sharers(former.apiKey)
  if (users.length === 0) return takeBackKey(url, former)
  if (!(await isAccepted(former)))
    return print(
      `The former key has ended, but these still have it. Give them another: ${KVAULT} connect ${users.join(' ')} --url ${url}`,
    )
  if (!former.keyId) return
  print(
    `The former key stays valid, because these use it: ${users.join(', ')}. To end it: ${KVAULT} disconnect`,
  )
}

async function replaceProfile(profile: Profile): Promise<void> {
  const former = savedProfile()
  await keepProfile(profile)
  await endFormer(former, profile)
}

const keep = (url: string, { api_key, key_id }: Created): Promise<void> =>
  replaceProfile({ url, apiKey: api_key, keyId: key_id })

async function loginByKey(url: string, apiKey: string): Promise<void> {
  await keyWorks(url, apiKey)
  await replaceProfile({ url, apiKey })
  print(`Signed in at ${url} with the given key.`)
}

/** With the password, for computers without a browser. It is used once and stored nowhere. */
async function loginByPassword(url: string, { email, passwordStdin }: LoginOptions): Promise<void> {
  if (!email) throw new CommandError('Give your e-mail address with --email.', EXIT.usage)
  const password = passwordStdin
    ? (await readGiven('-')).replace(/\r?\n$/, '')
    : await secretQuestion('Password: ')
  const signedIn = await ask(url, '/api/v1/auth/login', {
    body: { email, password },
    isVerbatim: true,
    shape: { access_token: '' },
  })
  if (signedIn.status !== 200) throw failure(signedIn)
  const { access_token } = signedIn.body as { access_token: string }
  const session = { authorization: `Bearer ${access_token}` }
  const created = await ask(url, '/api/v1/auth/api-keys', {
    // Agents use this key: it may use the tools, but not the account.
    body: { name: keyName('kvault'), scopes: TOOL_SCOPES },
    headers: session,
    shape: CREATED,
  })
  await ask(url, '/api/v1/auth/logout', { method: 'POST', headers: session })
  if (created.status !== 201) throw failure(created)
  await keep(url, created.body as Created)
  print(`Signed in at ${url} as ${email}. Next: ${KVAULT} connect`)
}

async function loginByBrowser(url: string): Promise<void> {
  const session = await signInByBrowser(url, print)
  try {
    const created = await ask(url, '/api/v1/auth/api-keys/agent', {
      body: { name: keyName('kvault') },
      headers: { authorization: `Bearer ${session.token}` },
      shape: CREATED,
    })
    if (created.status !== 201) throw failure(created)
    await keep(url, created.body as Created)
  } finally {
    await session.end()
  }
  print(`Signed in at ${url}. Next: ${KVAULT} connect`)
}

/** Signs in once and keeps an API key of its own, so that no password is ever stored. */
export async function login(options: LoginOptions): Promise<number> {
  const url = urlToJoin(options)
  await requireEncryption(url, options)
  if (options.key !== undefined) await loginByKey(url, tidyKey(options.key))
  else if (options.email !== undefined || options.passwordStdin) await loginByPassword(url, options)
  else await loginByBrowser(url)
  return EXIT.done
}

/** What stops working without the saved key: clients that share it, and hooks, which have no other. */
function cutOff({ apiKey }: Profile): string[] {
  return connections().flatMap((connection) => [
    ...(connection.apiKey === apiKey ? [connection.client] : []),
    ...(connection.hooks ? [`the hooks of ${connection.client}`] : []),
  ])
}

/** Whether the key ended at the vault. If not, the person has to know that who has a copy of it can still use it. */
async function endedThere({ url, apiKey, keyId }: Profile): Promise<boolean> {
  if (!keyId) return true
  try {
    await endKey(url, apiKey)
    return true
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    warn(
      `The key is gone from this machine, but the vault did not delete it: ${why} It stays valid there. Delete "${keyName('kvault')}" at ${url}/settings?tab=keys, once the vault answers.`,
    )
    return false
  }
}

/** Deletes the key that `login` made, at the vault and here, after naming what depends on it. It always goes here. */
export async function logout(options: ConsentOptions): Promise<number> {
  const profile = savedProfile()
  if (!profile) {
    print('Not signed in.')
    return EXIT.done
  }
  const lost = cutOff(profile)
  const others = connections().filter((one) => one.keyId && one.apiKey !== profile.apiKey)
  if (others.length > 0) {
    const names = others.map(({ client }) => client).join(', ')
    print(
      paint('dim', `These keep working with keys of their own: ${names}. To end them: ${KVAULT} disconnect`),
    )
  }
  if (lost.length > 0) {
    print(`This cuts off: ${lost.join(', ')}`)
    if (!(await agreed('Sign out?', options))) return EXIT.done
  }
  const hasEnded = await endedThere(profile)
  dropProfile()
  print(`Signed out of ${profile.url}${profile.keyId && hasEnded ? '; its key is deleted' : ''}.`)
  return hasEnded ? EXIT.done : EXIT.byHand
}
