import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postJson } from './support/post-json.ts'
import { report } from './support/report.ts'
import { repository, startVault } from './support/servers.ts'

/**
 * How long an agent waits for a hook: the packaged program from its start to its end, at a failed command with a fitting card, beside a
 * server on the same machine. Every run is a session of its own, so each one delivers the card.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 200)
const BAR_MS = 100

const vault = await startVault()
const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-bench-hook-'))
writeFileSync(join(folder, '.kvault.json'), '{"project_key": "bench/hook"}')

const { access_token } = await postJson(vault.url, '/api/v1/auth/register', {
  email: 'bench@example.com',
  password: 'a long password',
})
const authorization = { authorization: `Bearer ${access_token}` }
const { api_key } = await postJson(vault.url, '/api/v1/auth/api-keys', { name: 'bench' }, authorization)
await postJson(
  vault.url,
  '/api/v1/cards',
  {
    title: 'ENOSPC: System limit for number of file watchers reached',
    symptom:
      'The development server ends with Error: ENOSPC: System limit for number of file watchers reached.',
    fix_summary: 'Raise fs.inotify.max_user_watches to 524288 with sysctl.',
  },
  authorization,
)

function runHook(session: number): Promise<{ ms: number; output: string }> {
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [join(repository, 'packages', 'cli', 'kvault.js'), 'hook', 'claude-code', 'PostToolUseFailure'],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        KVAULT_HOME: folder,
        KVAULT_URL: vault.url,
        KVAULT_API_KEY: String(api_key),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stdin.end(
    JSON.stringify({
      session_id: `bench-${session}`,
      cwd: folder,
      tool_name: 'Bash',
      tool_input: { command: 'npm run dev' },
      error: 'Exit code 1\nError: ENOSPC: System limit for number of file watchers reached',
    }),
  )
  return new Promise((resolve) =>
    child.once('close', () => resolve({ ms: performance.now() - began, output })),
  )
}

try {
  const times: number[] = []
  // The first run fills the compile cache, as it does on a person's machine.
  for (let round = -5; round < ROUNDS; round++) {
    const { ms, output } = await runHook(round)
    if (!output.includes('max_user_watches')) throw new Error(`run ${round} delivered no card: ${output}`)
    if (round >= 0) times.push(ms)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  const p95 = at(0.95)
  console.log(
    `${ROUNDS} hooks, p50 / p95 / p99: ${[at(0.5), p95, at(0.99)].map((ms) => ms.toFixed(1)).join(' / ')} ms`,
  )
  const row = { what: 'hook p95, start to end', measured: `${p95.toFixed(1)} ms`, bar: `${BAR_MS} ms` }
  report([{ ...row, met: p95 <= BAR_MS }])
  if (p95 > BAR_MS) process.exitCode = 1
} finally {
  await vault.stop()
  rmSync(folder, { recursive: true, force: true })
}
