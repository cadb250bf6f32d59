import { idsBefore, type NamesIndex } from '../../src/shared/before.ts'
import { percent } from '../lib/collections.ts'
import type { Table } from '../lib/measure.ts'
import { call, createApiKey, type Headers, register, startVault } from '../lib/vault.ts'
import { NAMED, SAID, UNNAMED } from './before-set.ts'

const PROJECT = 'https://github.com/eval/before'
const CONTEXT = '/api/v1/project-context'

async function remember(url: string, headers: Headers): Promise<void> {
  const post = (path: string, body: object) =>
    call(url, 'POST', `${CONTEXT}/${path}`, { project_key: PROJECT, ...body }, headers)
  for (const [n, { text }] of SAID.filter(({ from }) => from === 'turn').entries())
    await post('turns', {
      session_id: `s${n}`,
      user_message: text,
      agent_report: 'Understood.',
      client: 'eval',
    })
  const facts = SAID.filter(({ from }) => from === 'fact').map(({ text }) => `- ${text}`)
  const document = {
    event_type: 'fact_snapshot',
    meta: { fact_kind: 'project_facts' },
    content: facts.join('\n'),
  }
  await post('events', document)
  const commits = SAID.filter(({ from }) => from === 'commit').map(({ text, files }, n) => ({
    ref: String(n + 1).padStart(40, '0'),
    committed_at: '2025-01-02T03:04:05Z',
    message: text,
    files,
  }))
  await post('commits', { reading_id: crypto.randomUUID(), commits })
  while (
    (await call(url, 'GET', `${CONTEXT}/commits?project_key=${PROJECT}`, undefined, headers)).waiting > 0
  )
    await new Promise((resolve) => setTimeout(resolve, 100))
}

/** Asks what would be said before each change and each command of an agent. */
export async function run(): Promise<Table[]> {
  const vault = await startVault()
  try {
    const { url } = vault
    const headers = await createApiKey(url, await register(url, 'evaluator'))
    await remember(url, headers)
    const index: NamesIndex = await call(
      url,
      'GET',
      `${CONTEXT}/names?project_key=${PROJECT}`,
      undefined,
      headers,
    )
    const delivered = async (deed: (typeof NAMED)[number]): Promise<boolean> => {
      const about = idsBefore(index, deed)
      if (about.length === 0) return false
      const text = 'file' in deed ? deed.file : deed.command
      const asked = { moment: 'before', text, about, project_key: PROJECT, session_id: `before ${text}` }
      return !(await call(url, 'POST', '/api/v1/recall', asked, headers)).silent
    }
    const missed: string[] = []
    const wrong: string[] = []
    for (const deed of NAMED) if (!(await delivered(deed))) missed.push(JSON.stringify(deed))
    for (const deed of UNNAMED) if (await delivered(deed)) wrong.push(JSON.stringify(deed))
    const row = (what: string, all: number, odd: readonly string[]) => ({
      what,
      deeds: all,
      right: percent(1 - odd.length / all),
      others: odd.join(' '),
    })
    return [
      {
        title: 'before a tool',
        rows: [
          row('something rules about it: delivered', NAMED.length, missed),
          row('nothing rules about it: silent', UNNAMED.length, wrong),
        ],
      },
    ]
  } finally {
    await vault.stop()
  }
}
