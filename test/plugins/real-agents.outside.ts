import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { filesBelow, gemini } from '../../src/doors/cli/agent-transcripts.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { installed, runIn } from '../support/outside.ts'
import { repository } from '../support/process.ts'
import { describeWhere } from '../support/skips.ts'
import { type StandInModel, standInModel } from './stand-in-models.ts'

// The hooks that `kvault connect` writes, in the agents they are for, with a real vault. Only the model is a stand-in: it runs
// one command that fails, and what it is told afterwards shows whether the vault has come to the agent.

const COMMAND = 'echo "Error: ENOSPC: System limit for number of file watchers reached" >&2; exit 1'
/** It says nothing by which the vault would come at the prompt already. */
const PROMPT = 'Please go ahead with it'
const FIX = 'Raise fs.inotify.max_user_watches with sysctl and start the watcher again.'
const PLATFORM = `${process.platform}-${process.arch}`
const COMPILED = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
const NOT_COMPILED = COMPILED.includes(PLATFORM) ? undefined : `the client has no program for ${PLATFORM}`

let vault: LiveVault
let person: Person
let model: StandInModel
let home: string

beforeAll(async () => {
  vault = await liveVault({ RATE_LIMIT: 'off' })
  person = await registerPerson(vault)
  await person.post('/api/v1/cards', {
    title: 'ENOSPC: the limit of file watchers is reached',
    symptom: 'Error: ENOSPC: System limit for number of file watchers reached',
    fix_summary: FIX,
  })
})
afterAll(() => vault.close())
beforeEach(async () => {
  model = await standInModel(COMMAND)
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-agent-'))
})
afterEach(async () => {
  await model.close()
  rmSync(home, { recursive: true, force: true })
})

function put(name: string, content: string): void {
  mkdirSync(dirname(join(home, name)), { recursive: true })
  writeFileSync(join(home, name), content)
}

/** Sets the agent up as a person does, plays one exchange, and gives back what the vault has kept of it. */
async function walk(agent: string, program: string, args: string[], env: Record<string, string>) {
  put('.kvault.json', JSON.stringify({ project_key: `org/${agent}` }))
  const connect = ['connect', agent, '--yes', '--url', vault.url, '--key', await apiKeyOf(person)]
  const connected = await runIn(home, process.execPath, [join(repository, 'bin', 'kvault.js'), ...connect])
  expect(connected.code, connected.out).toBe(0)
  // Codex waits for an input that stays open.
  const closed = ['-c', 'exec "$0" "$@" </dev/null', program, ...args]
  const { out } = await runIn(home, 'sh', closed, { ...env, KVAULT_HOOK_WAIT_MS: '20000' })
  expect(out).toContain('All is done.')
  expect(model.told[0]?.includes(FIX), 'told before the command').toBe(false)
  expect(model.told[1]?.includes(FIX), 'told after the command').toBe(true)
  const events = async () =>
    (await person.get(`/api/v1/project-context/events?project_key=org/${agent}`)).body.items ?? []
  const [turn] = await vi.waitUntil(async () => ((await events()).length > 0 ? events() : undefined), {
    timeout: 30_000,
    interval: 200,
  })
  expect(turn.content).toContain(PROMPT)
  expect(turn.content).toContain('All is done.')
  expect(turn.meta.activity.commands).toMatchObject([{ command: COMMAND, exit_code: 1 }])
}

describeWhere('compiled clients', NOT_COMPILED, () => {
  const compiled = (...path: string[]) => installed('clients', ...path)

  test('Claude Code is told the card when the command fails, and the exchange is kept', async () => {
    const program = compiled('@anthropic-ai', `claude-code-${PLATFORM}`, 'claude')
    await walk('claude-code', program, ['-p', PROMPT, '--allowedTools', 'Bash'], {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    })
  })

  test('Codex is told the card when the command fails, and the exchange is kept', async () => {
    const vendor = compiled('@openai', `codex-${PLATFORM}`, 'vendor')
    const [target = ''] = readdirSync(vendor)
    const provider = [
      'name = "stand-in"',
      `base_url = "${model.url}/v1"`,
      'wire_api = "responses"',
      'env_key = "NO_KEY"',
    ]
    put('.codex/config.toml', `model_provider = "x"\n[model_providers.x]\n${provider.join('\n')}\n`)
    const trusted = ['--dangerously-bypass-hook-trust', '--dangerously-bypass-approvals-and-sandbox']
    const args = ['exec', '--skip-git-repo-check', ...trusted, PROMPT]
    await walk('codex', join(vendor, target, 'bin', 'codex'), args, { NO_KEY: 'none' })
  })

  test('the plugin of Claude Code and its marketplace are valid in every point', async () => {
    const program = compiled('@anthropic-ai', `claude-code-${PLATFORM}`, 'claude')
    for (const path of [repository, join(repository, 'plugins', 'claude-code')]) {
      const { code, out } = await runIn(home, program, ['plugin', 'validate', '--strict', path])
      expect(code, out).toBe(0)
      expect(out).not.toContain('Advice')
    }
  })
})

test('Gemini CLI is told the card when the command fails, the exchange is kept, and mining reads its session', async () => {
  put('.gemini/settings.json', JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }))
  put('.gemini/trustedFolders.json', JSON.stringify({ [home]: 'TRUST_FOLDER' }))
  const script = installed('clients', '@google', 'gemini-cli', 'bundle', 'gemini.js')
  await walk('gemini', process.execPath, [script, '-p', PROMPT, '--yolo'], {
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: model.url,
  })
  const [session] = filesBelow(join(home, '.gemini', 'tmp'), (name) => name.startsWith('session-'))
  const mined = gemini.read(session?.file ?? '')
  expect(mined).toMatchObject({
    folder: home,
    steps: [{ text: PROMPT }, { command: COMMAND, exitCode: 1 }, {}],
  })
})
