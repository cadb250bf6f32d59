import type { IncomingMessage } from 'node:http'
import { headerText } from '../../text/unicode.ts'
import { CommandError, EXIT, Refusal } from './exit-codes.ts'
import {
  eventsOf,
  isEventStream,
  isGood,
  jsonIn,
  linesOf,
  reasonOf,
  request,
  textOf,
} from './http-request.ts'
import { KVAULT } from './local-files.ts'
import { findProfile, givenKey, type Profile, type ProfileOptions } from './profile.ts'
import { homeOf, type ProjectHome, withFileOfHome } from './project-name.ts'
import { requireAllowed } from './workspaces.ts'

type Message = { jsonrpc: '2.0'; id?: string | number; method?: string; params?: Record<string, unknown> }

type Result = { protocolVersion?: string; isError?: boolean; content?: { text?: string }[] }

type Reply = { jsonrpc?: string; id?: unknown; result?: Result; detail?: unknown }

type Answered = { answer: IncomingMessage; home: ProjectHome | undefined }

const CALL_TIMEOUT_MS = 120_000
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const INTERNAL_ERROR = -32603

const isResponse = (message: Message): boolean =>
  message.method === undefined && ('result' in message || 'error' in message)

/** Whether a message is a notification, which must get no answer. */
const isNotification = ({ id, method }: Message): boolean => id === undefined && typeof method === 'string'

const protocolVersion = ({ params }: Message): string | undefined => {
  const meta = params?._meta as Record<string, unknown> | undefined
  const version = meta?.['io.modelcontextprotocol/protocolVersion']
  return typeof version === 'string' ? version : undefined
}

/** Returns the headers that the newer protocol repeats from the body, for routing by proxies. */
function protocolHeaders(message: Message, negotiated: string | undefined): Record<string, string> {
  const version = protocolVersion(message) ?? negotiated
  const name = message.params?.name ?? message.params?.uri
  return {
    ...(version ? { 'mcp-protocol-version': version } : {}),
    ...(typeof message.method === 'string' ? { 'mcp-method': headerText(message.method) } : {}),
    ...(typeof name === 'string' && protocolVersion(message) ? { 'mcp-name': headerText(name) } : {}),
  }
}

/** Returns the `workspace_id` of the project's `.kvault.json`, once the person has allowed it. */
async function homeFor(
  profile: Partial<Profile>,
  { method, params }: Message,
): Promise<ProjectHome | undefined> {
  if (method !== 'tools/call' || params?.name !== 'record_card') return undefined
  const given = params.arguments as Record<string, unknown> | undefined
  const { url, apiKey } = profile
  const home = given?.workspace_id ? undefined : homeOf(process.cwd())
  if (!home || !url || !apiKey) return undefined
  await requireAllowed({ ...profile, url, apiKey }, home)
  return home
}

function withHome({ params, ...rest }: Message, { id: workspace_id }: ProjectHome): Message {
  const given = params?.arguments as Record<string, unknown> | undefined
  return { ...rest, params: { ...params, arguments: { ...given, workspace_id } } }
}

/** Replaces secrets in everything that a client writes into a message. */
async function withoutSecretsIn(message: Message): Promise<Message> {
  const { messageWithoutSecrets } = await import('./outgoing.ts')
  const { value, found } = messageWithoutSecrets(message)
  if (found.length === 0) return message
  process.stderr.write(`Secrets were replaced before anything was sent: ${found.join(', ')}.\n`)
  return value
}

/** Adds the file to a refusal of the workspace, because the agent did not name the workspace itself. */
function withFileNamed(text: string, reply: Reply | null | undefined, home: ProjectHome | undefined): string {
  const { result } = reply ?? {}
  if (!home || !result?.isError) return text
  const refused = (jsonIn(result.content?.[0]?.text ?? '') ?? {}) as { detail?: string; code?: string }
  const refusal = new Refusal(String(refused.detail), EXIT.failed, refused.code)
  const named = withFileOfHome(refusal, home)
  if (named === refusal || !(named instanceof CommandError)) return text
  const content = [{ type: 'text', text: JSON.stringify({ ...refused, detail: named.message }) }]
  return JSON.stringify({ ...reply, result: { ...result, content } })
}

const send = async (
  profile: Partial<Profile>,
  line: string,
  message: Message,
  negotiated: string | undefined,
  query: string,
): Promise<Answered> => {
  const home = await homeFor(profile, message)
  const atHome = home ? withHome(message, home) : message
  const clean = await withoutSecretsIn(atHome)
  const answer = await request(`${profile.url}/mcp${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(profile.apiKey ? { 'x-api-key': profile.apiKey } : {}),
      ...protocolHeaders(clean, negotiated),
    },
    // An unchanged message is sent as received: its numbers may exceed JavaScript's precision.
    body: clean === message ? line : JSON.stringify(clean),
    timeoutMs: CALL_TIMEOUT_MS,
  })
  return { answer, home }
}

type Vault = {
  url: string
  /** Advice for a refused key: the key of an entry takes precedence over a sign-in. */
  advice: string
  send: (line: string, message: Message, negotiated: string | undefined) => Promise<Answered>
}

type BridgeOptions = ProfileOptions & { core?: boolean }

function vaultOf(options: BridgeOptions): Vault {
  const query = options.core ? '?profile=core' : ''
  let profile = findProfile(options)
  const toDo =
    givenKey(options) === undefined
      ? `Run: ${KVAULT} login`
      : `Give this entry another key, or run: ${KVAULT} connect`
  return {
    url: profile.url,
    advice: `${toDo} --url ${profile.url}`,
    send: async (line, message, negotiated) => {
      const tried = profile.apiKey
      const answered = await send(profile, line, message, negotiated, query)
      if (answered.answer.statusCode !== 401) return answered
      const saved = findProfile(options)
      if (saved.url !== profile.url || !saved.apiKey || saved.apiKey === tried) return answered
      profile = saved
      answered.answer.resume()
      return send(profile, line, message, negotiated, query)
    },
  }
}

/** Returns why the vault gave no protocol answer. */
function refusalText(status: number | undefined, detail: unknown, { advice }: Vault): string {
  // The client accepts only a text here and would otherwise wait forever.
  const said = typeof detail === 'string' ? detail : undefined
  if (status === 401) return `${said ?? 'Not signed in.'} ${advice}`
  return said ?? `The vault answered ${status}`
}

/** Returns the protocol version from the vault's answer to `initialize`; the next messages send it. */
const agreedVersion = ({ method }: Message, reply: Reply | null | undefined): string | undefined =>
  method === 'initialize' ? reply?.result?.protocolVersion : undefined

/** Adds the id: a vault that could not read the message does not know it, and the client would wait. */
const withIdOf = ({ id }: Message, reply: Reply, text: string): string =>
  reply.id === null ? JSON.stringify({ ...reply, id: id ?? null }) : text

export async function bridge(options: BridgeOptions = {}): Promise<void> {
  const vault = vaultOf(options)
  let negotiated: string | undefined
  const write = (text: string) => process.stdout.write(`${text.replaceAll('\n', '')}\n`)
  const refuse = (id: Message['id'] | null, code: number, text: string) =>
    write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: text } }))
  const fail = ({ id }: Message, text: string) => {
    if (id !== undefined) refuse(id, INTERNAL_ERROR, text)
  }

  async function forward(line: string, message: Message): Promise<void> {
    const { answer, home } = await vault.send(line, message, negotiated)
    if (isEventStream(answer)) {
      let isAnswered = false
      for await (const data of eventsOf(answer)) {
        const reply = jsonIn(data) as Reply | null | undefined
        write(withFileNamed(data, reply, home))
        isAnswered ||= reply?.id === message.id
        negotiated = agreedVersion(message, reply) ?? negotiated
      }
      // A proxy may end a stream early as if it were complete.
      if (!isAnswered) fail(message, `${vault.url} ended its answer too early. Try again`)
      return
    }
    const text = await textOf(answer)
    const reply = jsonIn(text) as Reply | undefined
    if (reply?.jsonrpc === '2.0') {
      negotiated = agreedVersion(message, reply) ?? negotiated
      if (!isNotification(message)) write(withIdOf(message, reply, withFileNamed(text, reply, home)))
    } else if (isGood(answer)) fail(message, `${vault.url} does not answer as a vault does`)
    else fail(message, refusalText(answer.statusCode, reply?.detail, vault))
  }

  const pending = new Set<Promise<void>>()
  for await (const line of linesOf(process.stdin)) {
    if (!line.trim()) continue
    const message = jsonIn(line) as Message | null | undefined
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      if (message === undefined) refuse(null, PARSE_ERROR, 'Not JSON')
      else refuse(null, INVALID_REQUEST, 'Not a JSON-RPC message')
      continue
    }
    if (isResponse(message)) continue
    const call = forward(line, message).catch((error) =>
      fail(
        message,
        error instanceof CommandError
          ? error.message
          : `The vault at ${vault.url} cannot be reached: ${reasonOf(error)}`,
      ),
    )
    pending.add(call)
    void call.finally(() => pending.delete(call))
    if (message.method === 'initialize') await call
  }
  await Promise.all(pending)
}
