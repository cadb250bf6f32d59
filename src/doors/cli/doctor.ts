import { existsSync, readFileSync } from 'node:fs'
import { entryIn } from './client-file.ts'
import { CLIENTS } from './clients.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { findProfile, type ProfileOptions } from './profile.ts'
import { paint, print } from './terminal.ts'
import { ask, errorText, type Reply } from './vault-client.ts'

type Finding = { what: string; state: 'ok' | 'warn' | 'fail'; detail: string; mend?: string }

const MAX_CLOCK_SKEW_S = 120

async function checkServer(url: string): Promise<{ finding: Finding; reply?: Reply }> {
  try {
    const reply = await ask(url, '/health/ready')
    const version = ((await ask(url, '/health')).body as { version?: string })?.version ?? '?'
    const mail = (reply.body as { checks?: { mail?: { status: string; detail?: string } } })?.checks?.mail
    if (reply.status === 200 && mail?.status === 'failed')
      return {
        reply,
        finding: {
          what: 'Server',
          state: 'warn',
          detail: `${url}, version ${version}. ${mail.detail ?? 'Mail does not work'}.`,
          mend: 'Look at SMTP_URL and at the mail server.',
        },
      }
    if (reply.status === 200)
      return { reply, finding: { what: 'Server', state: 'ok', detail: `${url}, version ${version}` } }
    return {
      reply,
      finding: { what: 'Server', state: 'fail', detail: errorText(reply), mend: 'Look into its log.' },
    }
  } catch (error) {
    const detail = error instanceof CommandError ? error.message : String(error)
    return {
      finding: { what: 'Server', state: 'fail', detail, mend: 'Start it (npm start), or give --url.' },
    }
  }
}

function checkClock(reply: Reply): Finding {
  const theirs = Date.parse(reply.headers.get('date') ?? '')
  const skew = Math.round(Math.abs(Date.now() - theirs) / 1000)
  if (!Number.isFinite(skew) || skew <= MAX_CLOCK_SKEW_S)
    return { what: 'Clock', state: 'ok', detail: 'agrees with the server' }
  return {
    what: 'Clock',
    state: 'warn',
    detail: `${skew} s away from the server's`,
    mend: 'Set the clock of one of the two.',
  }
}

async function checkCredential(url: string, apiKey: string | undefined): Promise<Finding[]> {
  if (!apiKey)
    return [{ what: 'Credential', state: 'fail', detail: 'none', mend: `kvault login --url ${url}` }]
  const headers = { 'x-api-key': apiKey }
  const reply = await ask(url, '/mcp/tools/list_workspaces', { body: {}, headers })
  if (reply.status === 401)
    return [
      { what: 'Credential', state: 'fail', detail: errorText(reply), mend: `kvault login --url ${url}` },
    ]
  const listed = await ask(url, '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    headers: {
      ...headers,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
  })
  const usable = ((listed.body as { result?: { tools?: { name: string }[] } })?.result?.tools ?? []).map(
    (tool) => tool.name,
  )
  const manifest = (await ask(url, '/mcp/manifest')).body as { tools?: { name: string; scopes: string[] }[] }
  const missing = new Set(
    manifest.tools?.filter((tool) => !usable.includes(tool.name)).flatMap((tool) => tool.scopes),
  )
  const total = manifest.tools?.length ?? 0
  return [
    { what: 'Credential', state: 'ok', detail: 'accepted' },
    missing.size === 0
      ? { what: 'Scopes', state: 'ok', detail: `all ${total} tools can be used` }
      : {
          what: 'Scopes',
          state: 'warn',
          detail: `${usable.length} of ${total} tools can be used`,
          mend: `For the others make a key with: ${[...missing].join(', ')}`,
        },
  ]
}

function checkClients(url: string): Finding[] {
  return CLIENTS.flatMap((client): Finding[] => {
    const file = client.file()
    if (!existsSync(file)) return []
    try {
      const entry = entryIn(readFileSync(file, 'utf8'), client, file)
      if (entry === undefined)
        return [
          {
            what: client.title,
            state: 'warn',
            detail: 'not connected',
            mend: `kvault connect ${client.name}`,
          },
        ]
      if (entry.includes(url)) return [{ what: client.title, state: 'ok', detail: 'connected' }]
      return [
        {
          what: client.title,
          state: 'warn',
          detail: 'connected to another vault',
          mend: `kvault connect ${client.name}`,
        },
      ]
    } catch (error) {
      return [
        { what: client.title, state: 'warn', detail: error instanceof Error ? error.message : String(error) },
      ]
    }
  })
}

const MARK = {
  ok: () => paint('green', 'ok  '),
  warn: () => paint('yellow', 'warn'),
  fail: () => paint('red', 'fail'),
}

/** Checks server, credential, scopes, clock and client files, and says what to do about each finding. */
export async function doctor(options: ProfileOptions & { json?: boolean }): Promise<number> {
  const { url, apiKey } = findProfile(options)
  const server = await checkServer(url)
  const findings = [server.finding]
  if (server.reply) findings.push(checkClock(server.reply), ...(await checkCredential(url, apiKey)))
  findings.push(...checkClients(url))
  if (options.json) print(JSON.stringify({ url, findings }, null, 2))
  else
    for (const { what, state, detail, mend } of findings)
      print(`${MARK[state]()}  ${what}: ${detail}${mend && state !== 'ok' ? `\n      → ${mend}` : ''}`)
  const failed = findings.filter((finding) => finding.state === 'fail')
  if (failed.length === 0) return EXIT.done
  return failed.some((finding) => finding.what === 'Credential') ? EXIT.notSignedIn : EXIT.failed
}
