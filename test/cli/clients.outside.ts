import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, registerPerson } from '../support/live.ts'
import { installed, type Outcome, runIn } from '../support/outside.ts'
import { repository } from '../support/process.ts'
import { describeWhere } from '../support/skips.ts'

// The entries that kvault writes, read by the clients they are for. Each lists its servers and, where it can do so without a
// model, connects. All of them run without a network but loopback.

let vault: LiveVault
let home: string

beforeAll(async () => {
  vault = await liveVault({ RATE_LIMIT: 'off' })
  const key = await apiKeyOf(await registerPerson(vault))
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-clients-'))
  mkdirSync(join(home, '.codex'))
  writeFileSync(join(home, '.codex', 'config.toml'), 'note = """\n[mcp_servers.no]\n"""\n')
  const names = ['claude-code', 'codex', 'gemini', 'opencode', 'qwen', 'copilot']
  const command = [join(repository, 'bin', 'kvault.js'), 'connect', ...names, '--yes', '--key', key]
  const { code, out } = await runIn(home, process.execPath, [...command, '--url', vault.url])
  expect(code, out).toBe(0)
})
afterAll(async () => {
  await vault.close()
  rmSync(home, { recursive: true, force: true })
})

const PLATFORM = `${process.platform}-${process.arch}`
const COMPILED = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
const NOT_COMPILED = COMPILED.includes(PLATFORM) ? undefined : `the client has no program for ${PLATFORM}`

const compiled = (...path: string[]) => installed('clients', ...path)

/** The program lies below a folder that is named after the compiler's target. */
function codex(): string {
  const vendor = compiled('@openai', `codex-${PLATFORM}`, 'vendor')
  const [target = ''] = readdirSync(vendor)
  return join(vendor, target, 'bin', 'codex')
}

const list = (program: string, ...args: string[]): Promise<Outcome> => runIn(home, program, args)
const script = (path: string[], ...args: string[]): Promise<Outcome> =>
  list(process.execPath, installed('clients', ...path), ...args)

describeWhere('compiled clients', NOT_COMPILED, () => {
  test('Claude Code connects', async () => {
    const { out } = await list(compiled('@anthropic-ai', `claude-code-${PLATFORM}`, 'claude'), 'mcp', 'list')
    expect(out).toMatch(/knowledge-vault: .*\/mcp.* Connected/)
  })

  test('Codex reads the entry as one with a bearer token', async () => {
    const { code, out } = await list(codex(), 'mcp', 'list')
    expect(code, out).toBe(0)
    expect(out).toMatch(/knowledge-vault\s+http\S*\/mcp.*Bearer token/i)
  })

  test('opencode connects', async () => {
    const { out } = await list(compiled(`opencode-${PLATFORM}`, 'bin', 'opencode'), 'mcp', 'list')
    expect(out).toMatch(/knowledge-vault.*connected/)
  })

  test('Copilot CLI reads the entry', async () => {
    const { code, out } = await list(compiled('@github', `copilot-${PLATFORM}`, 'copilot'), 'mcp', 'list')
    expect(code, out).toBe(0)
    expect(out).toContain('knowledge-vault (http)')
  })
})

test('Gemini CLI connects', async () => {
  // Elsewhere it shows the server as disabled until the person trusts the folder.
  writeFileSync(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify({ [home]: 'TRUST_FOLDER' }))
  const { out } = await script(['@google', 'gemini-cli', 'bundle', 'gemini.js'], 'mcp', 'list')
  expect(out).toMatch(/knowledge-vault: .*\/mcp \(http\) - Connected/)
})

test('Qwen Code connects', async () => {
  const { out } = await script(['@qwen-code', 'qwen-code', 'cli-entry.js'], 'mcp', 'list')
  expect(out).toMatch(/knowledge-vault: .*\/mcp \(http\) - Connected/)
})

test('the makers of Claude Desktop accept the bundle', async () => {
  const file = join(home, 'kvault.mcpb')
  writeFileSync(file, Buffer.from(await (await fetch(`${vault.url}/kvault.mcpb`)).arrayBuffer()))
  const mcpb = ['@anthropic-ai', 'mcpb', 'dist', 'cli', 'cli.js']
  const unpacked = await script(mcpb, 'unpack', file, join(home, 'bundle'))
  expect(unpacked.code, unpacked.out).toBe(0)
  const valid = await script(mcpb, 'validate', join(home, 'bundle'))
  expect(valid.code, valid.out).toBe(0)
})
