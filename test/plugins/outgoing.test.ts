import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { read, waitingFiles } from '../../src/doors/cli/hooks/spool.ts'
import { withoutSecrets } from '../../src/doors/cli/outgoing.ts'
import { acrossCuts } from '../support/across-cuts.ts'
import { machine, play, type StandIn, standIn } from './stand-in.ts'

let vault: StandIn
let project: string
let remove: () => void

beforeEach(async () => {
  vault = await standIn()
  ;({ project, remove } = machine(vault))
  writeFileSync(join(project, '.kvault.json'), '{"project_key": "org/app"}')
})
afterEach(async () => {
  remove()
  await vault.close()
})

const WORD = ['Kq7', 'zT4m', 'Wp2x'].join('!')
const TOKEN = ['gh', 'p_', 'a8Kd03mX'.repeat(5).slice(0, 36)].join('')
const CLOUD = ['AK', 'IA', 'Q3ZTJ5RY7WNB2XKD'].join('')
const PEM_LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.split('').reverse().join('')
const PEM = [
  ['-----BEGIN', 'PRIVATE KEY-----'].join(' '),
  ...Array.from({ length: 12 }, () => PEM_LINE.repeat(2)),
  ['-----END', 'PRIVATE KEY-----'].join(' '),
].join('\n')
const SECRETS = [
  `DB_PASSWORD=${WORD} npm run migrate`,
  `remote: https://x-access-token:${TOKEN}@github.com/org/app`,
  `aws_access_key_id = ${CLOUD}`,
  PEM,
  `user;password\nanna;${WORD}`,
]
const PARTS = [WORD.slice(0, 8), TOKEN.slice(4, 16), CLOUD.slice(4, 14), PEM_LINE.slice(0, 12)]

const sent = () => vault.asked.map(({ body }) => JSON.stringify(body)).join('\n')

type Payloads = { agent: string; events: { event: string; payload: Record<string, unknown> }[] }
const ALL: Payloads[] = readdirSync(join(import.meta.dirname, 'payloads')).map((name) =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'payloads', name), 'utf8')),
)

/** The payload once for each of its texts, with something added to that text. */
function* withAdded(payload: unknown, added: string): Generator<unknown> {
  if (typeof payload === 'string') yield `${payload}\n${added}`
  if (typeof payload !== 'object' || payload === null) return
  for (const [name, value] of Object.entries(payload))
    for (const changed of withAdded(value, added))
      yield Array.isArray(payload)
        ? payload.map((item, at) => (String(at) === name ? changed : item))
        : { ...payload, [name]: changed }
}

test.each(ALL.map(({ agent, events }) => [agent, events] as const))(
  'whatever part of a payload of %s holds a secret, the vault is not sent it',
  async (agent, events) => {
    for (const { event, payload } of events)
      for (const changed of withAdded(payload, SECRETS.join('\n')))
        await play(agent, event, changed as object)
    const text = sent()
    for (const part of PARTS) expect(text.includes(part), part).toBe(false)
    if (vault.asked.some(({ body }) => body.text !== undefined)) expect(text).toMatch(/<PASSWORD>/)
  },
)

const fail = (command: string, error: string) =>
  play('claude-code', 'PostToolUseFailure', {
    session_id: 's1',
    cwd: project,
    tool_name: 'Bash',
    tool_input: { command },
    error: `Exit code 1\n${error}`,
  })

test('no cut of a question takes away what a secret is known by', async () => {
  const secrets = [`export API_TOKEN=${TOKEN}`, `${CLOUD} `, PEM.slice(0, 130)]
  for (const filler of ['lorem ipsum ', 'a line of an output that says little\n'])
    for (const secret of secrets) {
      for (const text of acrossCuts(secret, filler, 50_000, [8000, -23_997])) {
        await fail('make all', text)
        await play('claude-code', 'UserPromptSubmit', { session_id: 's1', cwd: project, prompt: text })
      }
      for (const text of acrossCuts(secret, filler, 200_000, [12_000, -35_997])) await fail('make all', text)
      for (const text of acrossCuts(secret, filler, 6000, [4000])) await fail(text, 'Error: x')
    }
  const text = sent()
  for (const part of [TOKEN.slice(4, 12), TOKEN.slice(-10), CLOUD.slice(4, 12), PEM_LINE.slice(0, 10)])
    expect(text.includes(part), part).toBe(false)
  expect(Math.max(...vault.asked.map(({ body }) => body.text?.length ?? 0))).toBeLessThan(37_000)
})

test('a long table, whose head no cut keeps beside its rows, leaves neither as a question nor as an exchange', async () => {
  const word = (at: number) => ['Mq7', `v${at}`, 'rT'].join('!')
  const table = (rows: number) =>
    `user\tpassword\tnote\n${Array.from({ length: rows }, (_, at) => `u${at}\t${word(at)}\tError: cannot insert row`).join('\n')}`
  await fail('psql -f dump.sql', `${table(6000)}\nERROR: duplicate key`)
  expect(vault.asked[0]?.body.text).toContain('ERROR: duplicate key')
  await play('codex', 'UserPromptSubmit', { session_id: 'c', cwd: project, prompt: 'import the users' })
  for (const rows of [400, 6000])
    await play('codex', 'PostToolUse', {
      session_id: 'c',
      cwd: project,
      tool_name: 'Bash',
      tool_input: { command: 'psql -f dump.sql' },
      tool_response: { exit_code: 1, output: table(rows) },
    })
  await play('codex', 'Stop', { session_id: 'c', cwd: project, last_assistant_message: 'done' })
  const turn = read(waitingFiles()[0] ?? '')?.input
  expect(turn?.user_message).toBe('import the users')
  expect(`${sent()}${JSON.stringify(turn)}`).not.toMatch(/Mq7!/)
})

test('a long output is still asked about by its two ends, in the time of a hook', async () => {
  const output = `Error: the first thing\n${'a line of an output (app.js:12)\n'.repeat(100_000)}Error: the last thing`
  const began = performance.now()
  await fail('make all', output)
  expect(vault.asked[0]?.body.text).toContain('Error: the first thing')
  expect(vault.asked[0]?.body.text).toContain('Error: the last thing')
  expect(performance.now() - began).toBeLessThan(5000)
})

test('ids of the interface stay as they are, and a secret in one does not', () => {
  const id = crypto.randomUUID()
  const body = {
    session_id: id,
    project_key: `folder-${id}`,
    exclude: [id],
    card_id: id,
    environment: { node: '24.1' },
  }
  expect(withoutSecrets(body)).toEqual({ value: body, found: [] })
  const { value, found } = withoutSecrets({
    project_key: `https://host.example/${TOKEN}/app`,
    meta: { session_token: id, note: 'fine' },
  })
  expect(JSON.stringify(value)).not.toContain(TOKEN.slice(4))
  expect(value.meta).toEqual({ session_token: '<TOKEN>', note: 'fine' })
  expect(found).toHaveLength(2)
})

test('what a vault says reaches an agent without control characters and signs of direction', async () => {
  vault.answer.text = 'Raise\u001b[2K\r the\u202e limit\u2066.\n\u0007Then\tgo on.\u009b'
  const { output } = await fail('make all', 'Error: x')
  const { additionalContext } = JSON.parse(output).hookSpecificOutput
  expect(additionalContext).toBe('Raise[2K the limit.\nThen\tgo on.')
})
