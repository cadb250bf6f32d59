import { hostname } from 'node:os'
import { TOOL_SCOPES } from '../../core/scopes.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { dropProfile, findProfile, type ProfileOptions, savedProfile, saveProfile } from './profile.ts'
import { isInteractive, print, question, readStdin, secretQuestion } from './terminal.ts'
import { ask, failure } from './vault-client.ts'

export type LoginOptions = ProfileOptions & { email?: string; passwordStdin?: boolean }

async function keyWorks(url: string, apiKey: string): Promise<void> {
  const reply = await ask(url, '/mcp/tools/list_workspaces', { body: {}, headers: { 'x-api-key': apiKey } })
  // A key without the scope "search" is still a key.
  if (reply.status !== 200 && reply.status !== 403) throw failure(reply)
}

/** Signs in once with the password and keeps an API key of its own, so that no password is ever stored. */
export async function login(options: LoginOptions): Promise<number> {
  const { url } = findProfile(options)
  if (options.key) {
    await keyWorks(url, options.key)
    saveProfile({ url, apiKey: options.key })
    print(`Signed in at ${url} with the given key.`)
    return EXIT.done
  }
  if (!options.email && !isInteractive()) throw new CommandError('Give --email, or --key.', EXIT.usage)
  const email = options.email ?? (await question('E-mail: '))
  const password = options.passwordStdin
    ? (await readStdin()).replace(/\r?\n$/, '')
    : await secretQuestion('Password: ')
  const signedIn = await ask(url, '/api/v1/auth/login', { body: { email, password } })
  if (signedIn.status !== 200) throw failure(signedIn)
  const { access_token } = signedIn.body as { access_token: string }
  const session = { authorization: `Bearer ${access_token}` }
  const created = await ask(url, '/api/v1/auth/api-keys', {
    // Agents use this key: it opens the tools, and nothing of the account.
    body: { name: `kvault on ${hostname()}`.slice(0, 120), scopes: TOOL_SCOPES },
    headers: session,
  })
  await ask(url, '/api/v1/auth/logout', { method: 'POST', headers: session })
  if (created.status !== 201) throw failure(created)
  const key = created.body as { api_key: string; key_id: string }
  saveProfile({ url, apiKey: key.api_key, keyId: key.key_id })
  print(`Signed in at ${url} as ${email}. Next: kvault connect claude-code`)
  return EXIT.done
}

/** Deletes the key that `login` made, at the vault and here. */
export async function logout(): Promise<number> {
  const profile = savedProfile()
  if (!profile) {
    print('Not signed in.')
    return EXIT.done
  }
  dropProfile()
  if (profile.keyId) {
    const reply = await ask(profile.url, '/api/v1/auth/api-keys/current', {
      method: 'DELETE',
      headers: { 'x-api-key': profile.apiKey },
    })
    if (![204, 401, 404].includes(reply.status)) throw failure(reply)
  }
  print(`Signed out of ${profile.url}; its key is deleted.`)
  return EXIT.done
}
