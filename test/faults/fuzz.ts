import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Answer } from '../support/client.ts'
import type { TestVault } from '../support/engines.ts'
import { BROKEN_BODIES, HOSTILE, ODD_HEADERS, pick, type Random, randomFrom } from './hostile-values.ts'

// biome-ignore lint/suspicious/noExplicitAny: schemas are walked by their keywords
type Schema = any

type Operation = {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[]
  body: Schema | undefined
  responses: Record<string, Schema>
}

const MAX_ANSWER_MS = 30_000
/** Answers that every route may give without saying so. */
const EVERYWHERE = new Set(['400', '401', '404', '405', '413', '415', '422', '429'])

/** Ids and times are what they are said to be. Addresses are the caller's own words. */
const FORMATS = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  email: true,
  uri: true,
} as const

async function operationsOf(t: TestVault): Promise<{ api: Schema; operations: Operation[] }> {
  const api = (await t.anonymous().get('/openapi.json')).body
  const operations: Operation[] = Object.entries(api.paths as Record<string, Record<string, Schema>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase() as Operation['method'],
        path,
        parameters: described.parameters ?? [],
        body: described.requestBody?.content?.['application/json']?.schema,
        responses: described.responses,
      })),
  )
  return { api, operations }
}

/** Makes inputs: mostly such as the schema asks for, with hostile values here and there. */
class Inputs {
  readonly #random: Random
  readonly #root: Schema
  /** Ids that answers have shown, so that requests reach real things. */
  readonly ids = new Set<string>()

  constructor(random: Random, root: Schema) {
    this.#random = random
    this.#root = root
  }

  #resolve(schema: Schema, own: Schema): Schema {
    const ref: string | undefined = schema?.$ref
    if (!ref) return schema ?? {}
    const [, ...keys] = ref.split('/')
    const found = (root: Schema) => keys.reduce((at, key) => at?.[key], root)
    return found(own) ?? found(this.#root) ?? {}
  }

  value(given: Schema, own: Schema, depth = 0): unknown {
    const random = this.#random
    const schema = this.#resolve(given, own)
    if (random() < 0.08) return pick(random, HOSTILE)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return pick(random, schema.enum)
    const options = schema.anyOf ?? schema.oneOf
    if (options) return this.value(pick(random, options), own, depth)
    switch (Array.isArray(schema.type) ? pick(random, schema.type as string[]) : schema.type) {
      case 'string':
        return this.#text(schema)
      case 'integer':
      case 'number':
        return pick(random, [schema.minimum ?? 0, schema.maximum ?? 10, schema.default ?? 1, 1, 2, 7])
      case 'boolean':
        return random() < 0.5
      case 'null':
        return null
      case 'array':
        return Array.from({ length: Math.floor(random() * 3) }, () =>
          this.value(schema.items, own, depth + 1),
        )
      case 'object':
        return this.#object(schema, own, depth)
      default:
        return pick(random, HOSTILE)
    }
  }

  #text(schema: Schema): string {
    const random = this.#random
    if (schema.format === 'uuid')
      return this.ids.size > 0 && random() < 0.8 ? pick(random, [...this.ids]) : crypto.randomUUID()
    if (schema.format === 'uri') return 'https://example.com/a'
    const length = pick(random, [schema.minLength ?? 1, 12, 40, Math.min(schema.maxLength ?? 100, 5000)])
    return 'the pool of connections ran empty under load '
      .repeat(Math.ceil(length / 40))
      .slice(0, Math.max(1, length))
  }

  #object(schema: Schema, own: Schema, depth: number): unknown {
    const random = this.#random
    const entries = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
      .filter(([name]) => random() < (schema.required?.includes(name) ? 0.96 : 0.4))
      .map(([name, property]) => [name, this.value(property, own, depth + 1)])
    if (schema.additionalProperties && typeof schema.additionalProperties === 'object' && depth < 5)
      entries.push([
        `key${Math.floor(random() * 5)}`,
        this.value(schema.additionalProperties, own, depth + 1),
      ])
    if (random() < 0.04) entries.push([asText(pick(random, HOSTILE)).slice(0, 50), pick(random, HOSTILE)])
    return Object.fromEntries(entries)
  }
}

const asText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

export type FuzzReport = { requests: number; findings: string[]; statuses: Record<string, number> }

/** Sends `requests` generated requests and tells what was not as promised. */
export async function fuzz(t: TestVault, requests: number, seed: number): Promise<FuzzReport> {
  const random = randomFrom(seed)
  const { api, operations } = await operationsOf(t)
  const ajv = new Ajv2020({ strict: false, formats: FORMATS, allErrors: false })
  ajv.addSchema({ $id: 'api', ...api })
  const validators = new Map<string, ReturnType<Ajv2020['compile']>>()
  const matches = (schema: Schema, value: unknown): string | undefined => {
    const key = JSON.stringify(schema)
    let validate = validators.get(key)
    if (!validate) {
      validate = ajv.compile(JSON.parse(key.replaceAll('"#/components', '"api#/components')))
      validators.set(key, validate)
    }
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }

  const inputs = new Inputs(random, api)
  let person = await t.user('fuzz')
  const statuses: Record<string, number> = {}
  const findings = new Map<string, string>()

  for (let i = 0; i < requests; i++) {
    const operation = pick(random, operations)
    const url = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => {
      const parameter = operation.parameters.find((one) => one.name === name)
      const text = asText(inputs.value(parameter?.schema, {})).slice(0, 500).toWellFormed()
      // Without these the address would be that of another route: every client takes dots out of a path.
      return /^\.{0,2}$/.test(text) ? '-' : encodeURIComponent(text)
    })
    const query = new URLSearchParams()
    for (const { name, in: location, required, schema } of operation.parameters)
      if (location === 'query' && random() < (required ? 0.96 : 0.4))
        query.append(name, asText(inputs.value(schema, {})).slice(0, 4000))
    let body: string | undefined
    if (operation.body) {
      body = JSON.stringify(inputs.value(operation.body, operation.body)) ?? 'null'
      if (random() < 0.06) body = pick(random, BROKEN_BODIES)(body)
    }
    const headers = random() < 0.1 ? pick(random, ODD_HEADERS) : {}
    const address = query.size > 0 ? `${url}?${query}` : url
    const say = (what: string) => {
      const signature = `${operation.name}: ${what}`.slice(0, 300)
      if (!findings.has(signature))
        findings.set(signature, `${address.slice(0, 300)} ${(body ?? '').slice(0, 400)}`)
    }

    const patience = new AbortController()
    const answer = await Promise.race([
      t.app.server.inject({
        method: operation.method,
        url: address,
        headers: {
          authorization: `Bearer ${person.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: body }),
      }),
      sleep(MAX_ANSWER_MS, undefined, { ref: false, signal: patience.signal }).catch(() => undefined),
    ])
    // A timer that is left keeps its request in memory, which is to be shown to return to its level.
    patience.abort()
    if (!answer) {
      say(`no answer within ${MAX_ANSWER_MS} ms`)
      continue
    }
    const status = String(answer.statusCode)
    statuses[status] = (statuses[status] ?? 0) + 1
    check(operation, status, answer, { say, matches })
    if (answer.statusCode < 300)
      for (const [id] of answer.payload
        .slice(0, 20_000)
        .matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g)) {
        if (inputs.ids.size < 300) inputs.ids.add(id)
      }
    if (answer.statusCode === 401 && (await person.get('/api/v1/auth/me')).status === 401)
      person = await t.user('fuzz')
  }
  return { requests, findings: [...findings].map(([what, example]) => `${what}\n    ${example}`), statuses }
}

type Answered = { headers: Answer['headers']; rawPayload: Buffer; statusCode: number }
type Tools = { say: (what: string) => void; matches: (schema: Schema, value: unknown) => string | undefined }

const ERROR = { $ref: '#/components/schemas/ErrorResponse' }
const INVALID = { $ref: '#/components/schemas/HTTPValidationError' }

function check(operation: Operation, status: string, answer: Answered, { say, matches }: Tools): void {
  const isJson = String(answer.headers['content-type'] ?? '').includes('application/json')
  // One of the odd headers asks for it.
  const isPacked = answer.headers['content-encoding'] === 'gzip'
  const payload = String(isPacked ? gunzipSync(answer.rawPayload) : answer.rawPayload)
  let value: unknown
  try {
    value = isJson ? JSON.parse(payload) : undefined
  } catch {
    say(`${status} with a body that is not JSON`)
    return
  }
  const code = (value as { code?: string } | undefined)?.code
  if (answer.statusCode >= 500 && !(status === '503' && code === 'not_configured'))
    say(`${status} ${payload.slice(0, 150)}`)
  const declared = operation.responses[status]
  if (!declared && !EVERYWHERE.has(status) && answer.statusCode < 500) say(`${status} is not declared`)
  if (!isJson) return
  const schema =
    declared?.content?.['application/json']?.schema ??
    (answer.statusCode >= 400 ? (status === '422' ? INVALID : ERROR) : undefined)
  const wrong = schema && matches(schema, value)
  if (wrong) say(`${status} does not match its schema: ${wrong}`)
}
