import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { COMPARE_OPTIONS, compare, median, percentile, type Table } from './lib/measure.ts'
import { call, createApiKey, register, startVault } from './lib/vault.ts'

const CARD = {
  title: 'ENOSPC: System limit for number of file watchers reached',
  symptom:
    'The development server ends with Error: ENOSPC: System limit for number of file watchers reached.',
  fix_summary: 'Raise fs.inotify.max_user_watches to 524288 with sysctl.',
}
const DELIVERED = 'max_user_watches'
/** The first runs fill the compile cache, as they do on a person's machine. */
const WARM_UP_RUNS = 5

type Hook = { program: string; folder: string; env: Record<string, string | undefined> }

function runHook({ program, folder, env }: Hook, session: string): Promise<{ ms: number; output: string }> {
  const began = performance.now()
  const child = spawn(process.execPath, [program, 'hook', 'claude-code', 'PostToolUseFailure'], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stdin.end(
    JSON.stringify({
      session_id: session,
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

/** Runs hooks, each in a session of its own, so that each delivers the card. */
async function timesOf(hook: Hook, sessions: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (const session of sessions) {
    const { ms, output } = await runHook(hook, session)
    if (!output.includes(DELIVERED))
      throw new Error(`A hook delivered no card: ${output || 'no output'}. Is it built (npm run build:cli)?`)
    times.push(ms)
  }
  return times
}

export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: { ...COMPARE_OPTIONS, runs: { type: 'string', default: '40' } },
  })
  const runs = values.quick ? 3 : Number(values.runs)
  const sessions = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`)
  const table = await compare(values, {
    title: 'hook of a failed command, from its start to its end',
    open: async (checkout) => {
      const vault = await startVault('sqlite', { folder: checkout })
      const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-bench-hook-'))
      writeFileSync(join(folder, '.kvault.json'), '{"project_key": "bench/hook"}')
      const person = await register(vault.url, 'agent')
      const key = await createApiKey(vault.url, person)
      await call(vault.url, 'POST', '/api/v1/cards', CARD, person.headers)
      const env = {
        PATH: process.env.PATH,
        KVAULT_HOME: folder,
        KVAULT_URL: vault.url,
        KVAULT_API_KEY: key['x-api-key'],
      }
      const hook: Hook = { program: join(checkout, 'packages', 'cli', 'kvault.js'), folder, env }
      await timesOf(hook, sessions('warm', WARM_UP_RUNS))
      return { vault, hook }
    },
    measure: async ({ hook }, round) => {
      const times = await timesOf(hook, sessions(`round-${round}`, runs))
      return { 'p50, ms': median(times), 'p95, ms': percentile(times, 0.95) }
    },
    close: async ({ vault, hook }) => {
      await vault.stop()
      rmSync(hook.folder, { recursive: true, force: true })
    },
  })
  return [table]
}
