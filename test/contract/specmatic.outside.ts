// A contract tester makes requests from /openapi.json, right ones and wrong ones, and holds the answers against it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, registerPerson } from '../support/live.ts'
import { installed, type Outcome, runIn } from '../support/outside.ts'
import { type Api, preparedApi } from './prepared-api.ts'

const NO_JAVA = 'specmatic needs Java, and this machine has none'
const hasJava = spawnSync('java', ['-version']).status === 0

let vault: LiveVault
let folder: string
beforeAll(async () => {
  vault = await liveVault({}, { shedding: false })
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-contract-'))
})
afterAll(async () => {
  await vault.close()
  rmSync(folder, { recursive: true, force: true })
})

const specmatic = (args: string[], env: Record<string, string> = {}): Promise<Outcome> =>
  runIn(folder, 'java', ['-jar', installed('contract', 'specmatic', 'specmatic.jar'), ...args], env)

function write(name: string, api: unknown): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(api))
  return file
}

type Result = { name: string; operation: string; isPositive: boolean; failure: string | undefined }

const unescaped = (text: string) =>
  text.replace(/&(#10|gt|lt|quot|apos|amp);/g, (_, name: string) => {
    const known: Record<string, string> = { '#10': '\n', gt: '>', lt: '<', quot: '"', apos: "'", amp: '&' }
    return known[name] ?? ''
  })

/** The JUnit report, one entry a request. Path parameters are written `(card_id:string)` there. */
function resultsIn(report: string): Result[] {
  return report
    .split('<testcase')
    .slice(1)
    .map((testcase) => {
      const name = unescaped(/\sname="([^"]*)"/.exec(testcase)?.[1] ?? '').replace(
        /^.*contractTest\(\) > /s,
        '',
      )
      const [, method = '', path = ''] = /Scenario: (\w+) (\S+) ->/.exec(name) ?? []
      const failure = /<(?:failure|error) message="([^"]*)"/.exec(testcase)?.[1]
      return {
        name,
        operation: `${method} ${path.replace(/\((\w+):\w+\)/g, '{$1}')}`,
        isPositive: name.startsWith('+ve'),
        failure: failure === undefined ? undefined : unescaped(failure),
      }
    })
}

/** Rules that JSON Schema cannot say: a request may fit the description and still be told that a value is not valid. */
const MORE_RULES: Readonly<Record<string, string>> = {
  'GET /api/v1/cases': 'q works with scope=public only',
  'POST /api/v1/billing/checkout': 'people return to our own address only',
  'POST /api/v1/billing/credits/checkout': 'people return to our own address only',
  'POST /api/v1/billing/portal': 'people return to our own address only',
  'DELETE /api/v1/workspaces/{workspace_id}': 'name is the name of that workspace',
  'PUT /api/v1/user/settings': 'default_workspace_id is one of the caller',
  'GET /api/v1/project-context/events': 'cursor is the one that the page before gave',
  'POST /api/v1/auth/api-keys': 'default_workspace_id is one in which the caller may write',
  'PUT /api/v1/cards/{card_id}/cites': 'a cite has one of the forms that the guide names',
  'POST /api/v1/moderation/matters/{matter_id}/decision': 'nobody is banned for a card that is kept',
  'POST /api/v1/recall': 'a failure and a prompt have a text, a start and a compaction have none',
  'POST /mcp/tools/recall': 'a failure and a prompt have a text, a start and a compaction have none',
  'GET /api/v1/library/pulled': 'server is an address, which the tester does not make up',
  'POST /api/v1/library/import': 'origin is an address, which the tester does not make up',
  'GET /ai-guide': 'base_url is an address, which the tester does not make up',
  'POST /mcp/tools/get_ai_guide': 'base_url is an address, which the tester does not make up',
}

/** What the vault of this test does not have: 503 `not_configured`. */
const NOT_CONFIGURED: Readonly<Record<string, string>> = {
  'POST /api/v1/auth/google': 'there is no Google client',
  'POST /api/v1/auth/verify-email/resend': 'there is no mail server',
}

/** Where the tester itself errs. */
const TESTER_ERRS: Readonly<Record<string, string>> = {
  'GET /api/v1/effects/rows': 'it asks for CSV and expects JSON; the description has both',
  'GET /mcp/manifest': 'in free JSON it takes the first entry of a list for the shape of all others',
}

/** A request by the book may meet a state (no such card, no right to it); never an undeclared status, never a fault. */
function mayBeAnswered(api: Api, { operation, failure = '' }: Result): boolean {
  const status = /expected status \d+ but response contained status (\d+)/.exec(failure)?.[1]
  const [method = '', path = ''] = operation.split(' ')
  const declared = api.paths[path]?.[method.toLowerCase()]?.responses ?? {}
  if (status === undefined || !(status in declared)) return false
  if (status === '422') return operation in MORE_RULES
  return status.startsWith('4') || (status === '503' && operation in NOT_CONFIGURED)
}

/** Tools take null for what may be left out. */
const isNullForAbsent = ({ operation, name }: Result) =>
  operation.startsWith('POST /mcp/tools/') && / to null( AND |$)/.test(name)

function isExplained(api: Api, result: Result): boolean {
  if (result.operation in TESTER_ERRS) return true
  return result.isPositive ? mayBeAnswered(api, result) : isNullForAbsent(result)
}

test('specmatic reads the description as it is served', async ({ skip }) => {
  if (!hasJava) skip(NO_JAVA)
  const file = write('served.json', await (await fetch(`${vault.url}/openapi.json`)).json())
  const { out } = await specmatic(['examples', 'validate', '--spec-file', file])
  expect(out).toContain('API Operations')
  expect(out).not.toMatch(/Exception|Invalid Regex|not defined|defaulting/)
})

test('specmatic’s requests, right and wrong, are answered as described', async ({ skip }) => {
  if (!hasJava) skip(NO_JAVA)
  const person = await registerPerson(vault)
  const api = await preparedApi(vault, person, await registerPerson(vault, 'colleague@example.com'))
  const key = await apiKeyOf(person)
  const file = write('prepared.json', api)
  const { out } = await specmatic(['test', file, '--testBaseURL', vault.url, '--junitReportDir', folder], {
    APIKeyHeader: key,
    HTTPBearer: key,
    SPECMATIC_GENERATIVE_TESTS: 'true',
    // One value of each list of choices; all of their combinations would be tens of thousands of requests.
    MAX_TEST_REQUEST_COMBINATIONS: '1',
  })
  expect(out).toContain('Tests run:')
  const results = resultsIn(readFileSync(join(folder, 'TEST-junit-jupiter.xml'), 'utf8'))
  const wrong = results.filter((result) => result.failure !== undefined && !isExplained(api, result))
  expect(wrong.map(({ name, failure }) => `${name}\n${failure}`)).toEqual([])

  const met = (isPositive: boolean) =>
    new Set(
      results.filter((one) => one.isPositive === isPositive && !one.failure).map((one) => one.operation),
    )
  expect(met(true).size, 'operations that succeeded').toBeGreaterThan(70)
  expect(met(false).size, 'operations that refused what is wrong').toBeGreaterThan(50)
})
