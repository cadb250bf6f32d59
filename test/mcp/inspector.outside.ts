import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, registerPerson } from '../support/live.ts'
import { installed, node } from '../support/outside.ts'

let vault: LiveVault
let key: string

beforeAll(async () => {
  vault = await liveVault()
  key = await apiKeyOf(await registerPerson(vault))
})
afterAll(() => vault.close())

const inspect = (era: string, ...args: string[]) =>
  node(
    installed('suites', '@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js'),
    ...['--cli', '--transport', 'http', '--server-url', `${vault.url}/mcp`],
    ...['--protocol-era', era, '--header', `X-API-Key: ${key}`, '--format', 'json', ...args],
  )

describe.each(['legacy', 'modern'])('the inspector (%s)', (era) => {
  test('lists the tools and finds no schema that some client could not use', async () => {
    const { code, out, err } = await inspect(era, '--method', 'tools/list', '--strict')
    expect(code, out).toBe(0)
    expect(out).toContain('"get_ai_guide"')
    expect(err.trim()).toBe('')
  })

  test('calls a tool, reads a resource, gets a prompt', async () => {
    const called = await inspect(era, '--method', 'tools/call', '--tool-name', 'get_ai_guide')
    expect(called.code, called.out).toBe(0)
    expect(called.out).toContain('structuredContent')
    const read = await inspect(era, '--method', 'resources/read', '--uri', 'vault://guide')
    expect(read.code, read.out).toBe(0)
    const prompt = await inspect(
      era,
      ...[
        '--method',
        'prompts/get',
        '--prompt-name',
        'start_of_session',
        '--prompt-args',
        'project_key=org/repo',
      ],
    )
    expect(prompt.out, prompt.out).toContain('org/repo')
  })
})
