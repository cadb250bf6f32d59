// Written by kvault: the hooks of Knowledge Vault for opencode. `kvault disconnect opencode` removes it.
import { spawn } from 'node:child_process'

const COMMAND = ["kvault"]

/**
 * Nobody waits for the end of an exchange, and what is not kept then is lost. Elsewhere the hook ends by itself, and this
 * limit is for a machine that is too busy: it leaves time to start the hook.
 */
function longestWaitMs(event) {
  if (event === 'session.idle') return 15_000
  return Math.max(1500, (Number(process.env.KVAULT_HOOK_WAIT_MS) || 0) + 700)
}

/** Starts the hook with a payload and returns the text to inject. An error never stops opencode. */
function hook(event, payload) {
  return new Promise((resolve) => {
    try {
      const [program, ...args] = COMMAND
      const child = spawn(program, [...args, 'hook', 'opencode', event], { stdio: ['pipe', 'pipe', 'ignore'] })
      const limit = setTimeout(() => child.kill(), longestWaitMs(event))
      let output = ''
      child.stdout.setEncoding('utf8')
      child.stdout.on('data', (chunk) => (output += chunk))
      child.on('error', () => resolve(''))
      child.stdin.on('error', () => {})
      child.on('close', () => {
        clearTimeout(limit)
        try {
          resolve(output === '' ? '' : JSON.parse(output).text)
        } catch {
          resolve('')
        }
      })
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve('')
    }
  })
}

const wordsIn = (parts) =>
  parts.flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text] : [])).join('\n')

export const KnowledgeVault = async ({ client, directory }) => {
  const begun = new Set()
  let made = 0

  /** The person's message stays as it is; the text of the vault is a separate part beside it. */
  const add = (output, sessionID, text) => {
    if (!text) return
    made += 1
    const id = 'prt_kvault' + Date.now().toString(36) + made
    output.parts.push({ id, sessionID, messageID: output.message.id, type: 'text', text, synthetic: true })
  }

  const lastReply = async (sessionID) => {
    const { data = [] } = await client.session.messages({ path: { id: sessionID } })
    const last = data.findLast(({ info }) => info.role === 'assistant')
    return last ? wordsIn(last.parts) : ''
  }

  return {
    'chat.message': async ({ sessionID }, output) => {
      const prompt = wordsIn(output.parts)
      if (!begun.has(sessionID)) {
        begun.add(sessionID)
        const resumed = (await lastReply(sessionID).catch(() => '')) !== ''
        add(output, sessionID, await hook('session.created', { sessionID, directory, resumed }))
      }
      add(output, sessionID, await hook('chat.message', { sessionID, directory, prompt }))
    },
    'tool.execute.after': async ({ tool, sessionID, args }, output) => {
      const { exit, exitCode } = output.metadata ?? {}
      const payload = { sessionID, directory, tool, args, output: output.output, exitCode: exit ?? exitCode }
      const text = await hook('tool.execute.after', payload)
      if (text) output.output += '\n\n' + text
    },
    'experimental.session.compacting': async ({ sessionID }, output) => {
      const text = await hook('session.compacting', { sessionID, directory })
      if (text) output.context.push(text)
    },
    event: async ({ event }) => {
      if (event.type !== 'session.idle') return
      const { sessionID } = event.properties
      const reply = await lastReply(sessionID).catch(() => '')
      await hook('session.idle', { sessionID, directory, reply })
    },
  }
}
