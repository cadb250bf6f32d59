import { createRequire } from 'node:module'
import { type Answer, findHookAgent, SILENCE } from './agents.ts'
import { longestMs, runHook } from './run.ts'

const require = createRequire(import.meta.url)

/** Starts this program again and does not wait, so that a slow vault does not stop the agent. */
function sendInBackground(folder?: string): void {
  const [, program] = process.argv
  if (!program) return
  // Loaded here only: most hooks start no program.
  const { spawn }: typeof import('node:child_process') = require('node:child_process')
  const child = spawn(
    process.execPath,
    [program, 'hook', 'send', ...(folder === undefined ? [] : [folder])],
    {
      detached: true,
      stdio: 'ignore',
      windowsHide: true,
    },
  )
  // If the program cannot start, the next hook sends.
  child.once('error', () => {})
  child.unref()
}

// A separate program without the argument parser, for a fast start.

const MAX_INPUT = 16 * 1024 * 1024
/** Time in ms for the hook's own work: the command is noted even if the time for the vault is over. */
const OWN_WORK_MS = 700

const FORMER: Record<string, string> = { 'session-start': 'SessionStart', stop: 'Stop' }

async function readInput(): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_INPUT) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Writes the answer and then ends the program, whatever is still open. */
function finish({ output, exitCode }: Answer): void {
  if (output === '') process.exit(exitCode)
  process.stdout.write(output, () => process.exit(exitCode))
}

async function answered(agentName: string, event: string): Promise<Answer> {
  const agent = findHookAgent(FORMER[agentName] ? 'claude-code' : agentName)
  if (!agent) return SILENCE
  const happened = FORMER[agentName] ?? event
  const leftMs = Math.max(0, longestMs(agent, happened) - performance.now())
  setTimeout(() => process.exit(0), leftMs + OWN_WORK_MS)
  return runHook({ agent, event: happened, text: await readInput(), startSending: sendInBackground })
}

async function send(folder: string): Promise<Answer> {
  const { learnInBackground, refreshNames, sendWaiting } = await import('./later.ts')
  await sendWaiting()
  if (folder === '') return SILENCE
  await refreshNames(folder)
  learnInBackground(folder)
  return SILENCE
}

const [first = '', ...rest] = process.argv.slice(2)
const [agentName = '', event = ''] = first === 'hook' ? rest : [first, ...rest]

process.on('uncaughtException', () => process.exit(0))
process.stdout.on('error', () => process.exit(0))
void (agentName === 'send' ? send(event) : answered(agentName, event)).then(finish, () => process.exit(0))
