import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { type Answer, findHookAgent, type HookAgent } from '../../src/doors/cli/hooks/agents.ts'
import { runHook } from '../../src/doors/cli/hooks/run.ts'

/** Of a question or of a turn. */
export type Body = {
  moment?: string
  text?: string
  project_key?: string
  session_id?: string
  client?: string
  environment?: object
  exclude?: string[]
  lost_answer?: boolean
  about?: string[]
  budget_chars?: number
  user_message?: string
}

export type Asked = { path: string; key: string | undefined; idempotencyKey: string | undefined; body: Body }

/** A vault that says what a test wants, and remembers what it was asked. */
export type StandIn = {
  url: string
  asked: Asked[]
  /** What recall answers. */
  answer: { silent: boolean; reason: string; items: { kind: string; id: string }[]; text: string }
  /** The status of the next turns; 200 when there is none left. */
  statuses: number[]
  /** What answers the next turns in place of the vault, such as a page of the network. */
  strangers: { status: number; body: string }[]
  /** Keys of projects that the person's memory has. */
  remembered: string[]
  /** Names under which the memory stores projects, by the key that was asked. */
  stored: Record<string, string>
  /** What is known about files and commands. */
  names: { ids: string[]; files: Record<string, number[]>; commands: Record<string, number[]> }
  /** The status of a look into memory. */
  lookStatus: number
  delayMs: number
  close: () => Promise<void>
}

const isRecall = (path: string) => path === '/api/v1/recall'

export async function standIn(): Promise<StandIn> {
  const vault: StandIn = {
    url: '',
    asked: [],
    answer: {
      silent: false,
      reason: 'fits',
      items: [{ kind: 'card', id: 'card-1' }],
      text: 'Raise the limit.',
    },
    statuses: [],
    strangers: [],
    remembered: [],
    stored: {},
    names: { ids: [], files: {}, commands: {} },
    lookStatus: 200,
    delayMs: 0,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server: Server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const [path = '', header] = [request.url, request.headers['idempotency-key']]
    if (path.startsWith('/api/v1/project-context/events?')) {
      const key = new URL(path, vault.url).searchParams.get('project_key') ?? ''
      return response.writeHead(vault.lookStatus).end(
        JSON.stringify({
          project_key: vault.stored[key] ?? key,
          items: vault.remembered.includes(key) ? [{}] : [],
        }),
      )
    }
    if (path.startsWith('/api/v1/project-context/names?'))
      return response.writeHead(vault.lookStatus).end(JSON.stringify(vault.names))
    const idempotencyKey = header === undefined ? undefined : String(header)
    vault.asked.push({
      path,
      key: request.headers['x-api-key'] as string,
      idempotencyKey,
      body: JSON.parse(text),
    })
    if (vault.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, vault.delayMs))
    const stranger = isRecall(path) ? undefined : vault.strangers.shift()
    if (stranger) return response.writeHead(stranger.status).end(stranger.body)
    const status = isRecall(path) ? 200 : (vault.statuses.shift() ?? 200)
    response.writeHead(status, { 'content-type': 'application/json' })
    const recalled = { ...vault.answer, chars: vault.answer.text.length, call_id: 'call-1' }
    const turn = status === 200 ? { success: true, data: {} } : { detail: 'Not now.', code: 'refused' }
    response.end(JSON.stringify(isRecall(path) ? recalled : turn))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vault.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return vault
}

/** A person's machine: a home, a project without a remote, and a vault that is theirs. */
export function machine(vault: StandIn): { home: string; project: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-hooks-'))
  vi.stubEnv('KVAULT_HOME', join(folder, 'home'))
  vi.stubEnv('KVAULT_URL', vault.url)
  vi.stubEnv('KVAULT_API_KEY', 'kv_test')
  vi.stubEnv('KVAULT_HOOKS', '')
  // Of the whole process, which has been there for longer than any hook.
  vi.stubEnv('KVAULT_HOOK_WAIT_MS', String(Math.round(performance.now()) + 60_000))
  return {
    home: join(folder, 'home'),
    project: folder,
    remove: () => {
      vi.unstubAllEnvs()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** One run of a hook in this process. Nothing is sent in the background. */
export const playWritten = (name: string, event: string, text: string | null): Promise<Answer> =>
  runHook({ agent: findHookAgent(name) as HookAgent, event, text, startSending: () => {} })

export const play = (name: string, event: string, payload: object): Promise<Answer> =>
  playWritten(name, event, JSON.stringify(payload))
