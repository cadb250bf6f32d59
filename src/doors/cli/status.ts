import { CLIENTS } from './connect/clients.ts'
import { hooksAreThere } from './connect/hooks.ts'
import { EXIT } from './exit-codes.ts'
import { KVAULT } from './local-files.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import { connections } from './sign-in.ts'
import { paint, plain, print, printJson } from './terminal.ts'
import { ask, failure } from './vault-client.ts'
import { listWorkspaces, teamsToShareWith } from './workspaces.ts'

type Account = {
  user_id: string
  email: string
  display_name: string
  default_workspace_id: string | null
  share_recorded: boolean
}

export type StatusOptions = ProfileOptions & { json?: boolean }

async function accountAt({ url, apiKey }: Profile): Promise<Account> {
  const reply = await ask(url, '/api/v1/auth/me', {
    headers: { 'x-api-key': apiKey },
    shape: { user_id: '', email: '', display_name: '' },
  })
  if (reply.status !== 200) throw failure(reply)
  return reply.body as Account
}

const nameOf = ({ display_name, email }: Account): string => plain(`${display_name} <${email}>`)

export async function whoami(options: StatusOptions): Promise<number> {
  const profile = requireProfile(options)
  const account = await accountAt(profile)
  const { user_id, email, display_name } = account
  if (options.json) printJson({ url: profile.url, user_id, email, display_name })
  else print(`${nameOf(account)} at ${profile.url}`)
  return EXIT.done
}

type Agent = { client: string; title: string; hooks: boolean | null }

function hooksOf(client: string): boolean | null {
  try {
    return hooksAreThere(client) ?? null
  } catch {
    return false
  }
}

const agentsAt = (url: string): Agent[] =>
  connections()
    .filter((one) => one.url === url)
    .map(({ client }) => ({
      client,
      title: CLIENTS.find(({ name }) => name === client)?.title ?? client,
      hooks: hooksOf(client),
    }))

const agentText = ({ title, hooks }: Agent): string =>
  hooks === null ? title : `${title} (hooks ${hooks ? 'on' : 'off'})`

export async function status(options: StatusOptions): Promise<number> {
  const profile = requireProfile(options)
  const [account, spaces] = await Promise.all([accountAt(profile), listWorkspaces(profile)])
  const home = spaces.find((one) => one.workspace_id === account.default_workspace_id)
  const teams = spaces.filter(({ type }) => type !== 'personal')
  const agents = agentsAt(profile.url)
  if (options.json) {
    printJson({
      url: profile.url,
      account,
      teams: teams.map(({ workspace_id, name, role }) => ({ workspace_id, name, role })),
      agents,
    })
    return EXIT.done
  }
  const sharing =
    home && account.share_recorded
      ? `what this key records is shared with ${plain(home.name, 44)}`
      : teamsToShareWith(spaces).length > 0
        ? `new cards are private; the web app (${profile.url}/settings) can share them at once`
        : ''
  const rows: [string, string][] = [
    ['Vault', profile.url],
    ['Account', nameOf(account)],
    [
      'Team',
      [teams.map(({ name }) => plain(name, 44)).join(', ') || 'none', sharing].filter(Boolean).join('; '),
    ],
    ['Agents', agents.map(agentText).join(', ') || `none. Connect them: ${KVAULT} connect`],
  ]
  for (const [name, text] of rows) print(`${paint('dim', name.padEnd(8))} ${text}`)
  return EXIT.done
}
