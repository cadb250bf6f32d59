import { type Agent, Agent as HttpAgent, request } from 'node:http'
import type { z } from 'zod'
import { capabilities, rawRoutes } from '../../src/capabilities.ts'
import { innermost } from '../../src/core/validation.ts'

/** Hostile requests for every route of the registry, and how to send them. */

/** A body made to be expensive, of about as many bytes as the route takes. */
type Hostile = { kind: string; make: (fields: readonly Field[], bytes: number) => string }

type Field = { name: string; type: string }

const fieldsOf = (schema: z.ZodObject): Field[] =>
  Object.entries(schema.shape).map(([name, field]) => ({
    name,
    type: (innermost(field) as z.core.$ZodTypes)._zod.def.type,
  }))

const repeat = (text: string, bytes: number) => text.repeat(Math.max(1, Math.floor(bytes / text.length)))

const many = (bytes: number, most: number, item: (i: number) => string): string => {
  const items: string[] = []
  for (let left = bytes; left > 0 && items.length < most; ) {
    const next = item(items.length)
    left -= next.length + 1
    items.push(next)
  }
  return items.join()
}

const fieldOf = (fields: readonly Field[], type: string) =>
  (fields.find((field) => field.type === type) ?? fields[0])?.name ?? 'field'

const key = (i: number) => `"k${i.toString(36)}":1`

/** Below the limits for the whole body, so that it reaches the schema. */
const FITTING_KEYS = 980
const MAX_KEYS = 2_450
const FITTING_VALUES = 19_000

const HOSTILE_BODIES: readonly Hostile[] = [
  { kind: 'wide', make: (f, bytes) => `{"${fieldOf(f, 'array')}":[${repeat('1,', bytes - 50)}1]}` },
  { kind: 'deep', make: (_, bytes) => `{"a":${repeat('[', bytes / 2)}${repeat(']', bytes / 2)}}` },
  { kind: 'many keys', make: (_, bytes) => `{${many(bytes - 20, Number.POSITIVE_INFINITY, key)}}` },
  {
    kind: 'prototypes',
    make: (_, bytes) =>
      `{"a":[${many(bytes - 50, Number.POSITIVE_INFINITY, () => '{"__proto__":{"b":1}}')}]}`,
  },
  { kind: 'long text', make: (f, bytes) => `{"${fieldOf(f, 'string')}":"${repeat('x', bytes - 100)}"}` },
  {
    kind: 'escapes',
    make: (f, bytes) => `{"${fieldOf(f, 'string')}":"${repeat('\\u005f\\ud800\\u0000', bytes - 100)}"}`,
  },
  {
    kind: 'text as list',
    make: (f, bytes) => `{"${fieldOf(f, 'array')}":["${repeat('__proto__ ', bytes - 100)}"]}`,
  },
  {
    kind: 'fitting values',
    make: (f, bytes) => `{"${fieldOf(f, 'array')}":[${many(bytes - 50, FITTING_VALUES, () => '{}')}]}`,
  },
  {
    kind: 'fitting lists',
    make: (f, bytes) =>
      `{${f.map(({ name }) => `"${name}":[${many(bytes / f.length - 50, FITTING_VALUES / f.length, () => '5')}]`).join()}}`,
  },
  { kind: 'fitting keys', make: (_, bytes) => `{${many(bytes - 20, FITTING_KEYS, key)}}` },
  {
    kind: 'fitting objects',
    make: (f, bytes) =>
      `{"${fieldOf(f, 'array')}":[${many(bytes - 50, FITTING_KEYS, (i) => `{${key(i)}}`)}],"__proto__":1}`,
  },
  { kind: 'most keys', make: (_, bytes) => `{${many(bytes - 20, MAX_KEYS, key)}}` },
  {
    kind: 'most objects',
    make: (f, bytes) => `{"${fieldOf(f, 'array')}":[${many(bytes - 50, MAX_KEYS, (i) => `{${key(i)}}`)}]}`,
  },
  {
    kind: 'fitting dictionary',
    make: (f, bytes) => `{"${fieldOf(f, 'record')}":{${many(bytes - 50, FITTING_KEYS, key)}}}`,
  },
]

/** One request that is meant to hurt. */
export type Attack = {
  what: string
  method: string
  path: string
  type: string
  body: string
  /** Whether the body is read at all without a credential. */
  open?: boolean
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const DEFAULT_BYTES = 1024 * 1024
/** The largest body that any route accepts. The cost of a byte is the same everywhere, so one route is enough. */
const MAX_BYTES = 8 * DEFAULT_BYTES
const ROOM = 1000
const ID = '00000000-0000-7000-8000-000000000001'
const takesBody = (method: string) => ['POST', 'PUT', 'PATCH'].includes(method)
const fill = (path: string) => path.replaceAll(/\{\w+\}/g, ID)

function bodiesFor(
  method: string,
  path: string,
  fields: ReturnType<typeof fieldsOf>,
  bytes = DEFAULT_BYTES,
): Attack[] {
  return HOSTILE_BODIES.map(({ kind, make }) => ({
    what: `${kind} to ${method} ${path}`,
    method,
    path: fill(path),
    type: JSON_TYPE,
    body: make(fields, bytes - ROOM),
  }))
}

const hostileQuery = (method: string, path: string, names: readonly string[]): Attack => ({
  what: `long query to ${method} ${path}`,
  method,
  path: `${fill(path)}?${names.map((name) => `${name}=x`).join('&')}&${'a=1&'.repeat(3000)}`,
  type: '',
  body: '',
})

const split = (route: string) => route.split(' ', 2) as [string, string]

function ofCapabilities(): Attack[] {
  return capabilities.flatMap((capability) => {
    const fields = fieldsOf(capability.input)
    // Further routes of a capability are other names of the first.
    const routes = (capability.rest ?? []).slice(0, 1).map(split)
    const rest = routes.flatMap(([method, path]) =>
      takesBody(method)
        ? bodiesFor(method, path, fields)
        : [
            hostileQuery(
              method,
              path,
              fields.map(({ name }) => name),
            ),
          ],
    )
    const tool = capability.tool
      ? bodiesFor(
          'POST',
          `/mcp/tools/${capability.tool.name}`,
          fields,
          capability.tool.name === 'record_card' ? MAX_BYTES : DEFAULT_BYTES,
        )
      : []
    return [...rest, ...tool].map((attack) => ({ ...attack, open: capability.scopes === 'public' }))
  })
}

function ofRawRoutes(): Attack[] {
  return rawRoutes.flatMap(({ route, scopes, bodyLimit = DEFAULT_BYTES }) => {
    const [method, path] = split(route)
    if (!takesBody(method)) return [hostileQuery(method, path.replace('*', 'x'), [])]
    const size = Math.min(bodyLimit, DEFAULT_BYTES)
    const form = { method, path: fill(path), type: FORM_TYPE }
    return [
      ...bodiesFor(method, path, [{ name: 'grant_types', type: 'array' }], size),
      { ...form, what: `many fields to ${route}`, body: 'a&'.repeat((size - ROOM) / 2) },
      { ...form, what: `escapes to ${route}`, body: `a=${'%41'.repeat((size - ROOM) / 3)}` },
      {
        method,
        path: fill(path),
        type: 'multipart/form-data; boundary=x',
        what: `many parts to ${route}`,
        body: '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(10_000),
      },
    ].map((attack) => ({ ...attack, open: scopes === 'public' }))
  })
}

const rpc = (body: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"record_card","arguments":${body}}}`

/** Every route of the registry, addresses without a route, and the MCP door. */
export const allAttacks = (): Attack[] => {
  const nowhere = [
    ...bodiesFor('POST', '/nope', []),
    ...bodiesFor('POST', '/mcp/tools/nope', []),
    ...bodiesFor('PUT', '/api/v1/auth/login', []),
  ].map((attack) => ({ ...attack, open: true }))
  const record = capabilities.find((capability) => capability.tool?.name === 'record_card')
  const mcp = HOSTILE_BODIES.map(({ kind, make }) => ({
    what: `${kind} to POST /mcp`,
    method: 'POST',
    path: '/mcp',
    type: JSON_TYPE,
    body: rpc(make(record ? fieldsOf(record.input) : [], DEFAULT_BYTES)),
  }))
  return [...nowhere, ...ofCapabilities(), ...ofRawRoutes(), ...mcp]
}

/** The orders for the flooding process. */
export type Flood = {
  url: string
  attacks: { attack: Attack; headers: Record<string, string> }[]
  connections: number
  seconds: number
}

/** Sends one request and returns its status. */
export function send(
  url: string,
  agent: Agent,
  attack: Attack,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const type = attack.type === '' ? {} : { 'content-type': attack.type }
    const outgoing = request(
      url + attack.path,
      {
        agent,
        method: attack.method,
        headers: { ...headers, ...type, 'content-length': attack.body.length },
      },
      (answer) => {
        answer.resume()
        answer.once('end', () => resolve(answer.statusCode ?? 0))
        answer.once('error', reject)
      },
    )
    outgoing.once('error', reject)
    outgoing.once('close', () => reject(new Error('closed')))
    outgoing.end(attack.body)
  })
}

/** Sends hostile requests on each connection as fast as they are answered. Reports how many it sent. */
export async function flood({ url, attacks, connections, seconds }: Flood): Promise<number> {
  const until = performance.now() + seconds * 1000
  let sent = 0
  const attackOn = async (from: number) => {
    const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 })
    for (let i = from; performance.now() < until; i++) {
      const chosen = attacks[i % attacks.length]
      if (chosen) await send(url, agent, chosen.attack, chosen.headers).catch(() => 0)
      sent++
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: connections }, (_, i) => attackOn(i)))
  return sent
}
