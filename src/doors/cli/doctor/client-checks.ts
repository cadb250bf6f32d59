import type { McpClient } from '../clients/client.ts'
import { entryIn, keyIn, wayOf } from '../clients/entry.ts'
import { readText } from '../clients/files.ts'
import { installedClients } from '../clients/installed.ts'
import { ClientError } from '../exit-codes.ts'
import { type Probe, probe } from '../mcp-probe.ts'
import { KVAULT } from '../own-copy.ts'
import { ask } from '../vault-client.ts'
import { connectAdvice, type Finding, fail, ok, warn } from './finding.ts'

type Tool = { name: string; scopes: string[] }

const toolsOf = async (url: string): Promise<Tool[]> =>
  ((await ask(url, '/mcp/manifest')).body as { tools?: Tool[] } | undefined)?.tools ?? []

/** All tools, or how many and which scopes the others need. */
function judgeTools(what: string, usable: readonly string[], all: readonly Tool[]): Finding {
  const missing = all.filter(({ name }) => !usable.includes(name))
  if (missing.length === 0) return ok(what, `${usable.length} of ${all.length} tools`)
  const scopes = [...new Set(missing.flatMap((tool) => tool.scopes))].join(', ')
  return warn(what, `${usable.length} of ${all.length} tools`, `For the others its key needs: ${scopes}`)
}

/** Checks the key that this command uses, by asking for the tools with it. */
export async function checkCredential(url: string, apiKey: string | undefined): Promise<Finding[]> {
  const advice = `${KVAULT} login --url ${url}`
  if (!apiKey) return [fail('Credential', 'none', advice)]
  const result = await probe({
    kind: 'http',
    url: `${url}/mcp`,
    headers: { Authorization: `Bearer ${apiKey}` },
  })
  if (result.state === 'signs-in') return [fail('Credential', 'not accepted', advice)]
  if (result.state === 'refused' && result.status === 401) return [fail('Credential', result.detail, advice)]
  // A vault that is busy says nothing about the key, and another one would not help.
  if (result.state !== 'works') return [fail('Tools', result.detail, 'Look at the log of the server.')]
  return [ok('Credential', 'accepted'), judgeTools('Scopes', result.tools, await toolsOf(url))]
}

function judgeProbe(client: McpClient, result: Probe, all: readonly Tool[], advice: string): Finding {
  if (result.state === 'works') return judgeTools(client.title, result.tools, all)
  if (result.state === 'signs-in') return ok(client.title, 'signs in by the browser')
  return fail(client.title, result.detail, advice)
}

/** Tries the entry in the client's file, as the client would. */
async function checkClient(client: McpClient, url: string, all: readonly Tool[]): Promise<Finding> {
  const file = client.file()
  const connectIt = connectAdvice(client.name, url)
  try {
    const entry = entryIn(readText(file) ?? '', client, file)
    if (!entry) return warn(client.title, 'not connected', connectIt)
    const way = wayOf(entry)
    if (!way) return fail(client.title, `${file}: the entry has neither address nor command`, connectIt)
    const goesTo = way.kind === 'http' ? way.url : (way.env.KVAULT_URL ?? url)
    if (goesTo !== url && !goesTo.startsWith(`${url}/`))
      return warn(client.title, `connected to ${goesTo}`, connectIt)
    const result = await probe(way)
    if (result.state === 'refused' && keyIn(entry)) result.detail = `its key is refused: ${result.detail}`
    return judgeProbe(client, result, all, connectIt)
  } catch (error) {
    // Another `connect` would stop at the same file.
    const advice = error instanceof ClientError ? 'Repair the file.' : connectIt
    return fail(client.title, error instanceof Error ? error.message : String(error), advice)
  }
}

export async function checkClients(url: string): Promise<Finding[]> {
  const all = await toolsOf(url)
  return Promise.all(installedClients().map((client) => checkClient(client, url, all)))
}
