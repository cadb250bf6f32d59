import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { capabilities, rawRoutes } from '../src/capabilities.ts'
import { toolInput, toolsOf } from '../src/core/invoke.ts'
import { describeApi, schemaOf } from '../src/doors/http/openapi.ts'
import { manifestOf, ToolManifest } from '../src/doors/http/tools.ts'
import { repository } from './support/process.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test walks through the whole document
const api = describeApi({ capabilities, rawRoutes }, 'http://127.0.0.1:8080') as any

test('the description is OpenAPI 3.1 at version 0.1.0 with both security schemes', () => {
  expect(api.openapi).toBe('3.1.0')
  expect(api.info.version).toBe('0.1.0')
  expect(Object.keys(api.components.securitySchemes)).toEqual(['APIKeyHeader', 'HTTPBearer'])
})

test('an independent linter finds no error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-openapi-'))
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(api))
  const redocly = join(repository, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js')
  const lint = promisify(execFile)(
    process.execPath,
    [redocly, 'lint', file, '--config', join(repository, 'test/redocly.yaml')],
    {
      cwd: repository,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  await expect(lint).resolves.toBeDefined()
  rmSync(folder, { recursive: true })
})

test('every reference leads somewhere', () => {
  const names = new Set(Object.keys(api.components.schemas))
  const referred = [...JSON.stringify(api).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name,
  )
  expect(referred.filter((name) => !names.has(name ?? ''))).toEqual([])
})

/** Every schema that the interface names, by its name there. */
const INTERFACE_SCHEMAS = [
  ...['HealthResponse', 'ReadinessResponse', 'UserRegister', 'UserLogin', 'GoogleLogin', 'TokenResponse'],
  ...['UserResponse', 'OnboardingSubmit', 'APIKeyResponse', 'APIKeyCreate', 'APIKeyCreatedResponse'],
  ...['UserSettings', 'SearchRequest', 'SearchResponse', 'CaseCreate', 'CaseUpdate', 'CaseResponse'],
  ...['CaseListResponse', 'CaseStatsResponse', 'FeedbackCreate', 'FeedbackResponse', 'FeedbackStats'],
  ...[
    'WorkspaceCreate',
    'WorkspaceResponse',
    'WorkspaceListResponse',
    'MembershipCreate',
    'MembershipUpdate',
  ],
  ...['MembershipCreateByEmail', 'MembershipResponse', 'WorkspaceMemberResponse', 'WorkspaceInviteCreate'],
  ...['WorkspaceInviteResponse', 'WorkspaceInviteActionResponse', 'WorkspaceInvitePublicResponse'],
  ...['WorkspaceInviteAccept', 'CreditsPolicy', 'CreditsBalance', 'CreditsHistory', 'RawMaterialCreate'],
  ...['RawMaterialResponse', 'RawMaterialListResponse', 'ProjectContextEventCreate'],
  ...['ProjectContextEventResponse', 'ProjectContextSnapshotResponse', 'PreferencesTransferRequest'],
  ...['PreferencesTransferResponse', 'ProjectContextSearchResponse', 'ProjectContextProjectsResponse'],
  ...['ProjectContextProjectDeleteResponse', 'ProjectContextProjectRenameRequest'],
  ...['ProjectContextProjectRenameResponse', 'Body_create_support_ticket', 'SupportChatRequest'],
  ...['SupportChatResponse', 'SubscriptionPlan', 'CreditPack', 'BillingStatus', 'CheckoutResponse'],
  ...['CreateSubscriptionCheckoutRequest', 'CreateCreditsCheckoutRequest', 'PortalRequest', 'PortalResponse'],
  ...['SimulateUpgradeRequest', 'InviteResponse', 'CreateInviteRequest', 'RedeemInviteRequest'],
  ...['RedeemInviteResponse', 'MCPToolResponse', 'HTTPValidationError'],
]

// biome-ignore lint/suspicious/noExplicitAny: as above
type Part = any

/** Every object in the document, with the way to it. */
function* parts(value: Part, way = ''): Generator<[way: string, part: Part]> {
  if (typeof value !== 'object' || value === null) return
  yield [way, value]
  for (const [key, inner] of Object.entries(value)) yield* parts(inner, `${way}/${key}`)
}

const operations: [name: string, operation: Part][] = Object.entries(api.paths).flatMap(([path, item]) =>
  Object.entries(item as Part).map(([method, operation]): [string, Part] => [
    `${method.toUpperCase()} ${path}`,
    operation,
  ]),
)

test('every schema that the interface names is there, is referred to, and none is nameless', () => {
  const text = JSON.stringify(api)
  const unused = INTERFACE_SCHEMAS.filter((name) => !text.includes(`"#/components/schemas/${name}"`))
  expect(unused).toEqual([])
  expect(Object.keys(api.components.schemas)).toEqual(expect.arrayContaining(INTERFACE_SCHEMAS))
  expect(Object.keys(api.components.schemas).filter((name) => name.startsWith('_'))).toEqual([])
  const event = api.paths['/api/v1/project-context/events/{raw_id}'].get.responses[200].content
  expect(event['application/json'].schema.$ref).toBe('#/components/schemas/ProjectContextEventResponse')
})

test('the manifest and every tool are described, with what each tool answers', () => {
  expect(api.paths['/mcp/manifest'].get.security).toEqual([])
  for (const { tool, scopes } of toolsOf(capabilities)) {
    const { post } = api.paths[`/mcp/tools/${tool.name}`]
    expect(post['x-required-scopes'], tool.name).toEqual(scopes)
    expect(post.requestBody.content['application/json'].schema.additionalProperties, tool.name).toBe(false)
    const [frame, own] = post.responses[200].content['application/json'].schema.allOf
    expect(frame.$ref, tool.name).toBe('#/components/schemas/MCPToolResponse')
    expect(own.properties.tool.enum).toEqual([tool.name])
    expect(Object.keys(own.properties.data).length, tool.name).toBeGreaterThan(0)
  }
  const key = api.paths['/api/v1/auth/api-keys/current'].delete
  expect(key.security).not.toEqual([])
  const manifest = manifestOf(toolsOf(capabilities), 'http://127.0.0.1:8080')
  const record = manifest.tools.find(({ name }) => name === 'record_card')
  expect(JSON.stringify(record?.input_schema)).toContain('"maxProperties":100')
  expect(ToolManifest.parse(manifest)).toEqual(JSON.parse(JSON.stringify(manifest)))
})

test('every error that is declared has a body, and what every request can meet is declared', () => {
  for (const [name, { responses, requestBody, parameters = [] }] of operations) {
    const errors = Object.keys(responses).filter((status) => Number(status) >= 400)
    expect(Object.keys(responses['429'].headers), name).toContain('Retry-After')
    for (const status of errors) {
      const { $ref } = responses[status].content['application/json'].schema
      const expected = status === '422' ? 'HTTPValidationError' : 'ErrorResponse'
      expect($ref, `${name} ${status}`).toBe(`#/components/schemas/${expected}`)
    }
    expect(errors, name).toEqual(expect.arrayContaining(['429', '500', '503']))
    if (requestBody) expect(errors, name).toEqual(expect.arrayContaining(['413', '415', '422']))
    const takesKey = parameters.some((one: Part) => one.name === 'Idempotency-Key')
    if (takesKey) expect(errors, name).toContain('409')
    const asksForVersion = parameters.some((one: Part) => one.name === 'If-Match')
    expect(asksForVersion, name).toBe(errors.includes('412'))
  }
})

/** Ids that are not ours to make: of plans, providers and clients, and of what somebody else names. */
const FOREIGN_IDS = new Set([
  'plan_id',
  'pack_id',
  'session_id',
  'client_id',
  'conversation_id',
  'request_id',
])
/** Of several kinds; a payment has the id of its provider. */
const MIXED_IDS = new Set(['ref_id', 'subject_id'])

test('every id is a uuid and every time a date-time', () => {
  const without: string[] = []
  for (const [way, { properties }] of parts(api)) {
    if (typeof properties !== 'object' || way.endsWith('/properties')) continue
    for (const [name, schema] of Object.entries(properties)) {
      const text = JSON.stringify(schema)
      if (!text.includes('"string"') || FOREIGN_IDS.has(name) || MIXED_IDS.has(name)) continue
      // The workspace of a text is told by its id alone.
      if (/(_(id|ids|by)|^workspace)$/.test(name) && !text.includes('"format":"uuid"'))
        without.push(`${way} ${name}`)
      if (/_(at|end)$/.test(name) && !text.includes('"format":"date-time"')) without.push(`${way} ${name}`)
    }
  }
  expect(without).toEqual([])
})

test('an address that must be whole says so, also with a rule for its end', () => {
  const { server } = api.components.schemas.LibraryImport.properties
  expect(server.format).toBe('uri')
  const { parameters } = api.paths['/api/v1/library/pulled'].get
  expect(parameters.find((one: Part) => one.name === 'server').schema.format).toBe('uri')
})

test('no parameter of a query can be null, which a query string cannot say', () => {
  const inQuery = [...parts(api)].filter(([, part]) => part.in === 'query')
  expect(inQuery.length).toBeGreaterThan(50)
  expect(inQuery.filter(([, { schema }]) => JSON.stringify(schema).includes('"null"'))).toEqual([])
})

test('a body that may be left out is not asked for, and one with a needed field is', () => {
  const asked = (path: string, method: string) => api.paths[path][method].requestBody.required
  expect(asked('/api/v1/user/settings', 'put')).toBe(false)
  expect(asked('/api/v1/billing/portal', 'post')).toBe(false)
  expect(asked('/api/v1/billing/invites', 'post')).toBe(false)
  expect(asked('/mcp/tools/list_workspaces', 'post')).toBe(false)
  expect(asked('/api/v1/cards', 'post')).toBe(true)
  expect(asked('/api/v1/cases/{case_id}/feedback', 'post')).toBe(true)
  expect(api.components.schemas.CaseUpdate.properties).not.toHaveProperty('card_id')
  expect(api.components.schemas.FeedbackCreate.required).toEqual(['kind'])
  expect(api.components.schemas.CommentCreate.properties.body.minLength).toBe(1)
})

test('blanks alone are refused by the schema of a text where the door refuses them', () => {
  const shapes = [
    ...capabilities.map(({ name, input }): [string, typeof input] => [name, input]),
    ...toolsOf(capabilities).map((one): [string, typeof one.input] => [one.tool.name, toolInput(one)]),
  ]
  const wrong: string[] = []
  let judged = 0
  for (const [owner, { shape }] of shapes)
    for (const [field, schema] of Object.entries(shape)) {
      const { type, format, minLength, pattern } = schemaOf(schema, {}) as Record<string, string>
      if (type !== 'string' || format !== undefined || minLength === undefined) continue
      const blanks = ' '.repeat(Number(minLength))
      judged += 1
      if (new RegExp(pattern ?? '', 'u').test(blanks) !== schema.safeParse(blanks).success)
        wrong.push(`${owner} ${field}`)
    }
  expect(judged).toBeGreaterThan(60)
  expect(wrong).toEqual([])
})

test('patterns mean the same to other engines: no bare bracket inside a class, no class by property', () => {
  const patterns = [...parts(api)].flatMap(([, { pattern }]) =>
    typeof pattern === 'string' ? [pattern] : [],
  )
  expect(patterns.length).toBeGreaterThan(0)
  expect(patterns.filter((pattern) => /\[[^\]]*\[|\\p\{/.test(pattern))).toEqual([])
})
