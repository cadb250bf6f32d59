import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { type CommandResult, runKvault } from '../support/process.ts'

let vault: LiveVault
let person: Person
let key: string
let home: string

const SECRET = ['ghp', 'a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6'].join('_')

beforeAll(async () => {
  vault = await liveVault({ RATE_LIMIT: 'off' })
  person = await registerPerson(vault, 'miner@example.com')
  key = await apiKeyOf(person)
  home = realpathSync(mkdtempSync(join(tmpdir(), 'knowledge-vault-home-')))
  const folder = join(home, '.claude', 'projects', 'app')
  mkdirSync(folder, { recursive: true })
  for (const name of ['alpha', 'beta', 'gamma', 'delta'])
    writeFileSync(join(folder, `${name}.jsonl`), sessionOf(name))
})
afterAll(async () => {
  await vault.close()
  rmSync(home, { recursive: true, force: true })
})

function sessionOf(name: string): string {
  const call = (id: string, command: string) => ({
    type: 'assistant',
    sessionId: name,
    message: { content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }] },
  })
  const result = (id: string, content: string, is_error: boolean) => ({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
  })
  const lines = [
    call('1', 'npm test'),
    result('1', `Exit code 1\nError: Cannot find module '${name}-client'`, true),
    call('2', `npm install ${name}-client`),
    result('2', 'added 1 package', false),
    call('3', 'npm test'),
    result('3', '12 passed', false),
    {
      type: 'assistant',
      message: { content: [{ type: 'text', text: `I installed ${name}-client with the token ${SECRET}.` }] },
    },
  ]
  return lines.map((line) => JSON.stringify(line)).join('\n')
}

const kvault = (args: string[], input = '', more = {}): Promise<CommandResult> =>
  runKvault(args, { HOME: home, KVAULT_URL: vault.url, KVAULT_API_KEY: key, ...more }, { cwd: home, input })

test('old sessions become drafts, three today, and the drafts a card', async () => {
  const dry = await kvault(['mine', '--agent', 'claude-code', '--dry-run', '--json'])
  expect(JSON.parse(dry.stdout)).toHaveLength(4)
  expect(dry.stdout).not.toContain(SECRET)
  expect((await person.get('/api/v1/drafts')).body.total).toBe(0)

  const first = await kvault(['mine', '--json'])
  expect(JSON.parse(first.stdout)).toEqual({ sessions: 4, found: 4, made: 3, waiting: 1 })
  const state = join(home, '.config', 'kvault', 'mine.json')
  expect(statSync(state).mode & 0o777).toBe(0o600)
  expect(readFileSync(state, 'utf8')).not.toContain(SECRET)
  const again = await kvault(['mine'])
  expect(again.stdout).toContain('0 sessions read, 0 found, 0 made into drafts.')
  expect(again.stdout).toContain('1 left: the vault makes three drafts a day.')

  const listed = JSON.parse((await kvault(['drafts', '--json'])).stdout)
  const [one, two, three] = listed.items.map((draft: { draft_id: string }) => draft.draft_id)
  const shown = await kvault(['drafts', 'show', one], '', { FORCE_COLOR: '1' })
  expect(shown.stdout).toContain('Cannot find module')
  expect(shown.stdout).toContain('\n\u001b[2mFix\u001b[0m\n')
  expect((await kvault(['drafts', 'accept', one])).stdout).toMatch(
    /^Recorded ([\da-f-]{36}) {2}.*\nReaders: Only you\nTo let a team read it: kvault share \1\n$/,
  )
  const words = JSON.stringify({ title: 'The client has to be declared', fix_summary: 'Declare it.' })
  const edited = await kvault(['drafts', 'edit', two, '--file', '-'], words)
  expect(edited.stdout).toContain('The client has to be declared')
  expect((await kvault(['drafts', 'dismiss', three])).stdout).toBe('Dismissed.\n')
  await person.post(`/api/v1/drafts/${three}/reopen`)
  const dismissed = await kvault(['drafts', 'dismiss', three, '--json'])
  expect(JSON.parse(dismissed.stdout)).toEqual({ draft_id: three, status: 'dismissed' })
  expect((await kvault(['drafts'])).stdout).toContain('No drafts.')
  expect((await person.get('/api/v1/cards/stats')).body.total).toBe(2)
})

test('what is found again makes no second draft, and the command says so', async () => {
  const other = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
  const folder = join(other, '.claude', 'projects', 'app')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'epsilon.jsonl'), sessionOf('epsilon'))
  const env = {
    HOME: other,
    KVAULT_API_KEY: await apiKeyOf(await registerPerson(vault, 'again@example.com')),
  }
  expect((await kvault(['mine'], '', env)).stdout).toContain('1 found, 1 made into drafts.')
  writeFileSync(join(folder, 'zeta.jsonl'), sessionOf('epsilon').replace('I installed', 'I have installed'))
  expect((await kvault(['mine'], '', env)).stdout).toContain(
    '1 found, 0 made into drafts.\nWithout a draft: 1 found before.\n',
  )
  rmSync(other, { recursive: true, force: true })
})

test('a dry run numbers and separates what it found; what was solved without a draft is said with the reason', async () => {
  const dry = (await kvault(['mine', '--agent', 'claude-code', '--dry-run'])).stdout
  expect(
    dry.split('\n').filter((line) => /^\d\. `npm test` fails: Cannot find module /.test(line)),
  ).toHaveLength(4)
  expect(dry.split('\n').filter((line) => /^─{60}$/.test(line))).toHaveLength(3)
  expect(dry).toContain('4 sessions read, 4 found. Nothing was sent.')
  const other = await registerPerson(vault, 'busy@example.com')
  const { api_key } = (await other.post('/api/v1/auth/api-keys', { name: 'hooks' })).body
  const commands = [
    { command: 'npm run sync', exit_code: 1, output: 'Error: connect ETIMEDOUT 10.0.0.1:443' },
    { command: 'npm run sync', exit_code: 0, output: '12 passed' },
  ]
  const files = ['sync.json']
  await other.post('/api/v1/project-context/turns', {
    project_key: 'acme/shop',
    user_message: 'Go on.',
    agent_report: 'I changed the settings.',
    session_id: 'flaky',
    meta: { activity: { commands, files, tests: [], environment: {} } },
  })
  const said = () => kvault(['drafts'], '', { KVAULT_API_KEY: api_key })
  await expect
    .poll(async () => (await said()).stdout, { timeout: 20_000 })
    .toContain('Solved today without a draft: 1 network or timing.')
  const doctor = await kvault(['doctor', '--json'], '', { KVAULT_API_KEY: api_key })
  expect(doctor.stdout).toContain('Solved today without a draft: 1 network or timing.')
})

test('a Stop hook whose transcript cannot be read says what was lost', async () => {
  const missing = join(home, 'gone.jsonl')
  const input = JSON.stringify({ session_id: 's-lost', cwd: home, transcript_path: missing })
  expect(await kvault(['hook', 'claude-code', 'Stop'], input)).toMatchObject({ code: 0, stdout: '' })
  const run = join(home, '.config', 'kvault', 'hook-runs', 'claude-code.capture.json')
  expect(JSON.parse(readFileSync(run, 'utf8')).error).toBe(
    `the transcript ${missing} cannot be read, so the exchange was not kept`,
  )
})

test('a session that was resumed is in two files, and found once; files are named as in the project', async () => {
  const other = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
  const project = join(other, 'work', 'app')
  mkdirSync(project, { recursive: true })
  const folder = join(other, '.claude', 'projects', 'app')
  mkdirSync(folder, { recursive: true })
  const edit = (id: string, file_path: string) => [
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id, name: 'Write', input: { file_path } }] },
    },
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] } },
  ]
  const edits = [...edit('e1', join(project, 'src/deep/a.ts')), ...edit('e2', '/etc/app/app.conf')]
  const [first = '', second = '', ...rest] = sessionOf('alpha').split('\n')
  const lines = [first, second, ...edits.map((line) => JSON.stringify(line)), ...rest]
  const cwd = JSON.stringify({
    type: 'user',
    sessionId: 'alpha',
    cwd: project,
    message: { content: 'Mend it' },
  })
  for (const name of ['one', 'two'])
    writeFileSync(
      join(folder, `${name}.jsonl`),
      [cwd, ...lines].join('\n').replaceAll('"alpha"', `"${name}"`),
    )
  const dry = await kvault(['mine', '--dry-run', '--json'], '', { HOME: other })
  const found = JSON.parse(dry.stdout)
  expect(found).toHaveLength(1)
  expect(found[0].candidate.files).toEqual(['src/deep/a.ts', 'app.conf'])
  // Where the project cannot get a name, its sessions are skipped, and read the next time.
  const names = join(other, '.config', 'kvault', 'folders')
  rmSync(names, { recursive: true })
  writeFileSync(names, '')
  expect((await kvault(['mine'], '', { HOME: other })).stderr).toContain('two.jsonl was skipped: ')
  rmSync(names)
  const told = await kvault(['mine'], '', { HOME: other })
  expect(told.stdout).toContain('2 sessions read, 1 found, ')
  rmSync(other, { recursive: true, force: true })
})

test('sessions of Gemini CLI are found in both forms, where its variable moves its home', async () => {
  const moved = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
  const folder = join(moved, '.gemini', 'tmp', 'app', 'chats')
  mkdirSync(folder, { recursive: true })
  const ran = (command: string, output: string) => ({
    name: 'run_shell_command',
    args: { command },
    status: 'success',
    result: [{ functionResponse: { response: { output } } }],
  })
  const toolCalls = [
    ran('npm test', "Output: Error: Cannot find module 'omega-client'\nExit Code: 1"),
    ran('npm install omega-client', 'Output: added 1 package'),
    ran('npm test', 'Output: 12 passed'),
  ]
  const session = { sessionId: 'omega', messages: [{ type: 'gemini', content: '', toolCalls }] }
  writeFileSync(join(folder, 'session-1.json'), JSON.stringify(session))
  const lines = [{ sessionId: 'psi' }, { id: '1', type: 'gemini', content: '', toolCalls }]
  const newer = lines.map((line) => JSON.stringify(line).replaceAll('omega', 'psi')).join('\n')
  writeFileSync(join(folder, 'session-2.jsonl'), newer)
  // Its log of the same session.
  mkdirSync(join(moved, '.gemini', 'tmp', 'app', 'logs'))
  writeFileSync(
    join(moved, '.gemini', 'tmp', 'app', 'logs', 'session-3.jsonl'),
    newer.replaceAll('psi', 'log'),
  )
  const { stdout } = await kvault(['mine', '--agent', 'gemini', '--dry-run', '--json'], '', {
    GEMINI_CLI_HOME: moved,
  })
  const found = JSON.parse(stdout).map(({ session_id }: { session_id: string }) => session_id)
  expect(found.sort()).toEqual(['omega', 'psi'])
  rmSync(moved, { recursive: true, force: true })
})

test('a candidate that the vault refuses does not stop those behind it', async () => {
  const other = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
  const settings = join(other, '.config', 'kvault')
  const claude = join(other, '.claude', 'projects', 'app')
  for (const folder of [settings, claude]) mkdirSync(folder, { recursive: true })
  for (const name of ['first', 'second']) writeFileSync(join(claude, `${name}.jsonl`), sessionOf(name))
  const env = {
    HOME: other,
    KVAULT_API_KEY: await apiKeyOf(await registerPerson(vault, 'behind@example.com')),
  }
  const dry = JSON.parse((await kvault(['mine', '--dry-run', '--json'], '', env)).stdout)
  // The first run leaves its state behind; then it is as an earlier version might have written it.
  expect((await kvault(['mine', '--since', '0h'], '', env)).code).toBe(0)
  const file = join(settings, 'mine.json')
  const [account = ''] = Object.keys(JSON.parse(readFileSync(file, 'utf8')))
  const [first, second] = dry
  const refused = { ...first, candidate: { ...first.candidate, attempts: 5000 } }
  writeFileSync(file, JSON.stringify({ [account]: { read: {}, waiting: [refused, second] } }))
  const { stdout, stderr } = await kvault(['mine', '--since', '0h', '--json'], '', env)
  expect(JSON.parse(stdout)).toEqual({ sessions: 0, found: 0, made: 1, waiting: 0 })
  expect(stderr).toMatch(/^Error: Cannot find module .* was refused: .*attempts/)
  rmSync(other, { recursive: true, force: true })
})

test('what was written in an editor is kept until the vault has taken it', async () => {
  const writer = await registerPerson(vault, 'writer@example.com')
  const candidates = ['Error: Cannot find module "left"', 'TypeError: fetch failed: ERR_INVALID_URL'].map(
    (failure) => ({ command: 'npm test', failure, commands: ['npm install'] }),
  )
  const offered = await writer.post('/api/v1/drafts', { candidates })
  const [one, two] = offered.body.results.map((result: { draft_id: string }) => result.draft_id)
  const folder = mkdtempSync(join(tmpdir(), 'knowledge vault editor '))
  const editor = join(folder, 'editor.sh')
  const env = { KVAULT_API_KEY: await apiKeyOf(writer), TMPDIR: folder, EDITOR: `sh "${editor}"` }

  writeFileSync(editor, `echo '{"title": "My own title",}' > "$1"`)
  const { code, stderr } = await kvault(['drafts', 'edit', one], '', env)
  expect(code, stderr).toBe(2)
  const [, file = ''] = /^What you wrote is not JSON.*\nIt is kept.* --file "(.+)"\n$/.exec(stderr) ?? []
  expect(readFileSync(file, 'utf8')).toContain('My own title')

  writeFileSync(file, '{"title": "My own title"}')
  const given = await kvault(['drafts', 'edit', one, '--file', file], '', env)
  expect(given.stdout).toContain('My own title')

  rmSync(dirname(file), { recursive: true })
  // An editor that was killed after a save.
  writeFileSync(editor, `echo '{"title": "A late title"}' > "$1"; exit 1`)
  const ended = await kvault(['drafts', 'edit', two], '', env)
  const [, late = ''] =
    /^The editor ended with an error\. .*It is kept.* --file "(.+)"\n$/s.exec(ended.stderr) ?? []
  expect(readFileSync(late, 'utf8'), ended.stderr).toContain('A late title')
  rmSync(dirname(late), { recursive: true })
  // One that saved nothing leaves nothing.
  writeFileSync(editor, 'exit 1')
  const unsaved = await kvault(['drafts', 'edit', two], '', env)
  expect(unsaved.stderr).toBe('The editor ended with an error. The draft is as it was.\n')
  expect(readdirSync(folder)).toEqual(['editor.sh'])

  writeFileSync(editor, `echo '{"title": "Another title"}' > "$1"`)
  const taken = await kvault(['drafts', 'edit', two], '', env)
  expect(taken).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Another title') })
  expect(readdirSync(folder)).toEqual(['editor.sh'])
  rmSync(folder, { recursive: true, force: true })
})

test('impossible options are refused with the reason', async () => {
  const wrong: [string[], string][] = [
    [['mine', '--agent', 'nobody'], 'Use one of claude-code, codex, gemini, opencode.'],
    [['mine', '--since', 'yesterday'], 'Write it as 30d, 12h or 4w.'],
    [['drafts', 'eat', 'x'], 'Use list, show, accept, edit or dismiss.'],
    [['drafts', 'bogus'], 'There is no "bogus".'],
    [['drafts', 'show'], 'Name the draft'],
  ]
  const results = await Promise.all(wrong.map(([args]) => kvault(args)))
  for (const [at, { code, stderr }] of results.entries()) {
    expect(code, stderr).toBe(2)
    expect(stderr).toContain(wrong[at]?.[1])
  }
})
