import { capabilities, rawRoutes } from '../../src/capabilities.ts'
import { fieldsOf, HOSTILE_BODIES } from './bodies.ts'

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
const LARGEST_BYTES = 8 * DEFAULT_BYTES
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
          capability.tool.name === 'record_card' ? LARGEST_BYTES : DEFAULT_BYTES,
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
