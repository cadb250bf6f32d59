import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { capabilities } from '../../src/capabilities.ts'
import { toolsOf } from '../../src/core/invoke.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { COMPILED_BEFORE, PROGRAM, repository } from '../support/process.ts'
import { describeWhere } from '../support/skips.ts'

const EXAMPLES = join(repository, 'examples')
const PYTHON = process.platform === 'win32' ? 'python' : 'python3'

let vault: LiveVault
let folder: string
let person: Person
let key: string
let people = 0

beforeAll(async () => {
  vault = await liveVault({ RATE_LIMIT: 'off' })
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-examples-'))
})
afterAll(async () => {
  await vault.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  person = await registerPerson(vault, `example-${++people}@example.com`)
  key = await apiKeyOf(person)
})

type Outcome = { code: number; stdout: string; stderr: string }
type Options = { env?: Record<string, string>; input?: string; cwd?: string }

/** Runs a program with nothing in its environment but the vault and what the example says. */
function run(
  program: string,
  args: string[],
  { env = {}, input = '', cwd = repository }: Options = {},
): Promise<Outcome> {
  const own = { PATH: process.env.PATH ?? '', HOME: folder, KVAULT_URL: vault.url, KVAULT_API_KEY: key }
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd, env: { ...own, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
    child.stdin?.end(input)
  })
}

describe('the TypeScript agent', () => {
  const agent = (...args: string[]) =>
    run(process.execPath, [...COMPILED_BEFORE, join(EXAMPLES, 'typescript-agent', 'agent.ts'), ...args])
  const PROBLEM = 'TypeError: fetch failed, cause: other side closed'
  const FIX = 'The keep-alive of the proxy is shorter than that of the agent. Set keepAliveTimeout below it.'

  test('finds nothing, records the fix, and finds it in the next session', async () => {
    const first = await agent('acme/shop', PROBLEM)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain('Memory: 0 events')
    expect(first.stdout).toContain('No fix is known yet.')
    expect((await agent('acme/shop', PROBLEM, FIX)).stdout).toContain('Recorded: ')
    const third = await agent('acme/shop', 'fetch failed other side closed')
    expect(third.stdout).toContain(`Focus: Working on: ${PROBLEM}`)
    expect(third.stdout).toContain(FIX)
  })

  test('says what is missing, and shows a refusal', async () => {
    expect(await agent()).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage') })
    key = await apiKeyOf(person, ['search'])
    expect((await agent('acme/shop', PROBLEM)).stderr).toContain('append_context_turn')
  })
})

/** The project itself needs no Python, so a machine without one still tests everything else. */
const noPython = spawnSync(PYTHON, ['--version']).status === 0 ? undefined : 'there is no Python 3 here'

describeWhere('the Python script', noPython, () => {
  const script = (args: string[], env = {}) =>
    run(PYTHON, [join(EXAMPLES, 'python-rest', 'import_notes.py'), ...args], { env })
  const notes = globSync('python-rest/notes/*.md', { cwd: EXAMPLES }).map((file) => join(EXAMPLES, file))

  test('imports notes once, however often it runs, and finds them', async () => {
    const first = await script(notes)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect((await script(notes)).stdout).toBe(first.stdout)
    expect((await person.get('/api/v1/cards')).body.total).toBe(notes.length)
    expect((await script(['--search', 'connection reset behind the proxy'])).stdout).toContain(
      'keepAliveTimeout',
    )
  })

  test('names the note that is no card, imports the others, and explains a refusal', async () => {
    const broken = join(folder, 'broken.md')
    writeFileSync(broken, '# A title alone\n')
    const outcome = await script([broken, ...notes])
    expect(outcome).toMatchObject({ code: 1, stderr: `${broken}: no symptom, fix_summary\n` })
    expect((await person.get('/api/v1/cards')).body.total).toBe(notes.length)
    expect((await script(['--search', 'ab'])).stderr).toContain('body.query')
    const nowhere = await script(['--search', 'anything'], { KVAULT_URL: 'http://127.0.0.1:9' })
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be reached') })
  })

  test('uses the standard library alone', () => {
    const source = readFileSync(join(EXAMPLES, 'python-rest', 'import_notes.py'), 'utf8')
    const imported = [...source.matchAll(/^(?:import|from) ([\w.]+)/gm)].map(([, name]) => name)
    const standard = [
      'argparse',
      'hashlib',
      'json',
      'os',
      're',
      'sys',
      'urllib.error',
      'urllib.request',
      'pathlib',
    ]
    expect(imported).toEqual(standard)
  })
})

/** Plays the step as a runner does: inputs filled in, the step's own environment, a file for the summary. */
async function playAction(
  name: string,
  inputs: Record<string, string>,
  ofRunner: Record<string, string> = {},
): Promise<Outcome & { summary: string }> {
  const action = parse(readFileSync(join(EXAMPLES, name, 'action.yml'), 'utf8'))
  const summaryFile = join(folder, `summary-${++people}.md`)
  writeFileSync(summaryFile, '')
  const given = { ...inputs }
  for (const [input, { default: standard, required }] of Object.entries(
    action.inputs as Record<string, { default?: string; required?: boolean }>,
  )) {
    if (required) expect(given[input], input).toBeDefined()
    given[input] ??= standard ?? ''
  }
  const [step] = action.runs.steps
  const env = Object.fromEntries(
    Object.entries(step.env as Record<string, string>).map(([variable, value]) => [
      variable,
      value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input) => given[input] ?? ''),
    ]),
  )
  const outcome = await run(step.shell, ['-c', step.run], {
    env: { ...env, ...ofRunner, GITHUB_ACTION_PATH: join(EXAMPLES, name), GITHUB_STEP_SUMMARY: summaryFile },
  })
  return { ...outcome, summary: readFileSync(summaryFile, 'utf8') }
}

describe('the GitHub action', () => {
  const play = (inputs: Record<string, string>) => playAction('github-action', inputs)

  const logOf = (text: string) => {
    const file = join(folder, 'build.log')
    writeFileSync(file, text)
    return file
  }
  const LOG = `\u001b[31mFAIL\u001b[0m test\n2026-01-02T10:11:12.123Z Error: ENOSPC: System limit for number of file watchers reached\n\n`

  test('runs after a build that fails before a pipe: GitHub notices that in bash alone', () => {
    const page = readFileSync(join(repository, 'examples/github-action/README.md'), 'utf8')
    const steps: { run?: string; shell?: string }[] = parse(/```yaml\n(.*?)```/s.exec(page)?.[1] ?? '')
    const piped = steps.filter(({ run }) => run?.includes(' | '))
    expect(piped).toEqual([expect.objectContaining({ shell: 'bash' })])
  })

  test('shows the fix of a known failure as text, whatever the card contains', async () => {
    await person.post('/api/v1/cards', {
      title: 'ENOSPC: System limit for number of file watchers <img src=x>',
      symptom: 'The build ends with ENOSPC: System limit for number of file watchers reached.',
      fix_summary: 'Raise fs.inotify.max_user_watches to 524288 with sysctl.',
    })
    const key = await apiKeyOf(person, ['search'])
    const inputs = { url: vault.url, 'api-key': key, log: logOf(LOG), scope: 'personal' }
    const { code, stdout, summary } = await play(inputs)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Cards found: 1\n' })
    expect(summary).toContain('Raise fs.inotify.max&#95;user&#95;watches')
    expect(summary).not.toContain('<img')
    // An address as it is copied from a browser.
    expect(await play({ ...inputs, url: `${vault.url}/` })).toMatchObject({ stdout, summary })
  })

  test('never fails a build', async () => {
    const base = { url: vault.url, 'api-key': key, log: logOf(LOG) }
    expect((await play(base)).summary).toContain('Nothing about this failure')
    for (const wrong of [
      { 'api-key': 'kv_wrong' },
      { url: 'http://127.0.0.1:9' },
      { log: join(folder, 'none.log') },
    ]) {
      const outcome = await play({ ...base, ...wrong })
      expect(outcome).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^::warning::Knowledge Vault: /),
      })
    }
  })
})

describe('the GitHub action that checks cards', () => {
  const play = async (inputs: Record<string, string> = {}, ofRunner = {}) => {
    const given = {
      url: vault.url,
      'api-key': await apiKeyOf(person, ['search']),
      path: join(folder, 'repository'),
      command: `${process.execPath} ${PROGRAM.kvault}`,
    }
    return playAction('github-action-check', { ...given, ...inputs }, ofRunner)
  }
  /** The step without the input `command`, where npx does this. */
  const playNpx = (script: string, inputs: Record<string, string> = {}) => {
    const bin = mkdtempSync(join(folder, 'npx-'))
    writeFileSync(join(bin, 'npx'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return play({ ...inputs, command: '' }, { PATH: [bin, process.env.PATH].join(delimiter) })
  }
  const lock = (version: string) => {
    mkdirSync(join(folder, 'repository'), { recursive: true })
    const packages = { 'node_modules/fastify': { version } }
    writeFileSync(join(folder, 'repository', 'package-lock.json'), JSON.stringify({ packages }))
  }

  test('fails where a card no longer fits, and shows it as text', async () => {
    await person.post('/api/v1/cards', {
      title: 'Hooks <img src=x> of fastify',
      symptom: 'The hook is called twice in fastify.',
      fix_summary: 'Register it once.',
      environment: { node: '24', fastify: '4.2.0' },
    })
    lock('4.29.0')
    expect(await play()).toMatchObject({ code: 0, stdout: 'Cards that no longer fit: 0\n' })
    lock('5.8.5')
    const { code, stdout, summary } = await play()
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Cards that no longer fit: 1\n' })
    expect(summary).toContain('npm:fastify@4.2.0: 5.8.5 is here')
    expect(summary).not.toContain('<img')
    expect((await play({ fail: 'false' })).code).toBe(0)
    const command = `exec '${process.execPath}' '${PROGRAM.kvault}' "$@"`
    const byNpx = await playNpx(`[ "$1 $2" = "-y $KVAULT_URL/kvault.tgz" ] && shift 2 && ${command}`)
    expect(byNpx).toMatchObject({ code: 1, stdout, summary })
    // An address as it is copied from a browser.
    const pasted = await playNpx(`[ "$1 $2" = "-y ${vault.url}/kvault.tgz" ] && shift 2 && ${command}`, {
      url: `${vault.url}//`,
    })
    expect(pasted).toMatchObject({ code: 1, stdout, summary })
  })

  test('a vault that is away fails no job', async () => {
    lock('5.8.5')
    const mistakes: Record<string, string>[] = [
      { url: 'http://127.0.0.1:9' },
      { 'api-key': 'kv_wrong' },
      { path: join(folder, 'none') },
      { command: 'no-such-program' },
    ]
    for (const wrong of mistakes)
      expect(await play(wrong)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^::warning::Knowledge Vault: /),
      })
    // npm ends as kvault does with a finding.
    const failed = await playNpx('echo "npm error code ECONNREFUSED" >&2; exit 1')
    expect(failed).toMatchObject({
      code: 0,
      stdout: '::warning::Knowledge Vault: npm error code ECONNREFUSED\n',
      summary: '',
    })
  })
})

describe('the Claude Code project', () => {
  const project = join(EXAMPLES, 'claude-code-project')
  const read = (file: string) => readFileSync(join(project, file), 'utf8')
  const settings = JSON.parse(read('.claude/settings.json'))

  /** `${NAME}` and `${NAME:-default}`, as Claude Code fills them in. */
  const expanded = (text: string, env: Record<string, string>) =>
    text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name, standard = '') => env[name] ?? standard)

  test('connects by .mcp.json to tools that exist', async () => {
    const raw = read('.mcp.json')
    expect(JSON.parse(expanded(raw, {})).mcpServers['knowledge-vault'].url).toBe('http://127.0.0.1:8080/mcp')
    const filled = JSON.parse(expanded(raw, { KVAULT_URL: vault.url, KVAULT_API_KEY: key }))
    const { url, headers } = filled.mcpServers['knowledge-vault']
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
    const names = (await client.listTools()).tools.map((tool) => tool.name)
    await client.close()
    const allowed: string[] = settings.permissions.allow
    expect(allowed.filter((name) => !names.includes(name.replace('mcp__knowledge-vault__', '')))).toEqual([])
  })

  test('allows without asking only what reads', () => {
    const readers = toolsOf(capabilities).filter((tool) => tool.tool.readOnly)
    const allowed: string[] = settings.permissions.allow
    for (const name of allowed)
      expect(readers.map((tool) => `mcp__knowledge-vault__${tool.tool.name}`)).toContain(name)
  })

  test('its hooks keep a turn and restore it in the next session', async () => {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'kvault'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM.kvault}' "$@"\n`, {
      mode: 0o755,
    })
    const transcript = join(folder, 'transcript.jsonl')
    const said = (type: string, text: string) => JSON.stringify({ type, message: { content: text } })
    writeFileSync(
      transcript,
      `${said('user', 'Why is the build red?')}\n${said('assistant', 'A watcher limit.')}\n`,
    )
    const hook = (event: string, input: object) =>
      run('sh', ['-c', settings.hooks[event][0].hooks[0].command], {
        env: { PATH: [bin, process.env.PATH].join(delimiter), KVAULT_HOOK_WAIT_MS: '60000' },
        input: JSON.stringify({ cwd: folder, session_id: 'one', ...input }),
      })
    expect(await hook('Stop', { transcript_path: transcript })).toMatchObject({ code: 0, stderr: '' })
    // It is sent in the background.
    const restored = await vi.waitUntil(
      async () => {
        const next = await hook('SessionStart', { session_id: randomUUID(), source: 'startup' })
        expect(next).toMatchObject({ code: 0, stderr: '' })
        return next.stdout === '' ? undefined : next
      },
      { timeout: 30_000, interval: 200 },
    )
    expect(restored.stdout).toContain('Why is the build red?')
  })

  test('CLAUDE.md names only tools that exist', () => {
    const names = toolsOf(capabilities).map((tool) => tool.tool.name)
    const named = [...read('CLAUDE.md').matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name = '']) => name)
    expect(named).toContain('record_card')
    expect(
      named.filter(
        (name) => !names.includes(name) && name !== 'fix_summary' && name !== 'include_workspaces',
      ),
    ).toEqual([])
  })
})
