import { createRequire } from 'node:module'
import { type Answer, findHookAgent, SILENCE } from './agents.ts'
import { longestMs, runHook } from './run.ts'

const require = createRequire(import.meta.url)

/**
 * Starts this program again to send the spool, and does not wait for it: an agent that calls a hook at the end of an exchange
 * continues at once, even if the vault is slow or unreachable.
 */
function sendInBackground(): void {
  const [, program] = process.argv
  if (!program) return
  // Most hooks start nothing, so they do not load this.
  const { spawn }: typeof import('node:child_process') = require('node:child_process')
  const child = spawn(process.execPath, [program, 'hook', 'send'], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  // If no program can be started, the next hook sends.
  child.once('error', () => {})
  child.unref()
}

// `kvault hook <agent> <event>`: the entry of all hooks. It is a separate program, so that an agent does not wait for
// the argument parser and the code of other commands.

const MOST_INPUT = 16 * 1024 * 1024
/**
 * On a busy machine the time for the vault may be over before the payload is read. The command is noted all the same,
 * and that the vault was not heard.
 */
const OWN_WORK_MS = 700

/** Hooks that were set up before there were several agents. */
const FORMER: Record<string, string> = { 'session-start': 'SessionStart', stop: 'Stop' }

/** Null beyond the limit: no known payload is that large. */
async function readInput(): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_INPUT) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Ends the program as soon as the agent has the whole answer, whatever else is still open. */
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

async function send(): Promise<Answer> {
  const { sendWaiting } = await import('./later.ts')
  await sendWaiting()
  return SILENCE
}

const [first = '', ...rest] = process.argv.slice(2)
const [agentName = '', event = ''] = first === 'hook' ? rest : [first, ...rest]

process.on('uncaughtException', () => process.exit(0))
process.stdout.on('error', () => process.exit(0))
void (agentName === 'send' ? send() : answered(agentName, event)).then(finish, () => process.exit(0))
