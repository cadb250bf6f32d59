import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { linesOf, percent } from '../lib/collections.ts'
import { type Table, UsageError } from '../lib/measure.ts'
import { call, createApiKey, type Headers, register, startVault, type Vault } from '../lib/vault.ts'

type Chat = { session: string; turns: { user: string; agent?: string }[] }
type Commit = { commit: string; date: string; subject: string; body: string }
type Question = {
  id: string
  kind: 'chat' | 'commit'
  subject: string
  prompt: string
  /** The chats or commits that decided, none where nothing did, and those that a later one replaced. */
  deciding: string[]
  outdated: string[]
  rule?: string
}

const PROJECTS = {
  /** All chats. */
  whole: 'https://github.com/eval/decisions',
  /** The commits, and the chats that decide nothing. */
  history: 'https://github.com/eval/history',
  /** The chats without those about every second subject. */
  half: 'https://github.com/eval/half',
}
type Project = keyof typeof PROJECTS

const USAGE = `npm run eval -- decisions <folder> [--learn "<command>"] [--budget 2000] [--quick]

The folder has chats.jsonl {session, turns: [{user, agent}]}, commits.jsonl {commit, date, subject, body} and questions.jsonl
{id, kind, subject, prompt, deciding, outdated, rule}. --learn runs in a repository that has the commits, with KVAULT_URL and
KVAULT_API_KEY, before the questions are asked.`

/** Hands the chats of a project to the vault, one turn for an exchange and one session for a chat. */
async function appendChats(
  url: string,
  headers: Headers,
  project: Project,
  chats: readonly Chat[],
): Promise<void> {
  for (const { session, turns } of chats)
    for (const { user, agent } of turns)
      await call(
        url,
        'POST',
        '/api/v1/project-context/turns',
        {
          project_key: PROJECTS[project],
          session_id: `${project} ${session}`,
          user_message: user,
          agent_report: agent || 'Done.',
          client: 'eval',
        },
        headers,
      )
}

/** Runs the command in a new repository with these commits. */
function learnFrom(command: string, commits: readonly Commit[], env: Record<string, string>): void {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-eval-decisions-'))
  const git = (args: string[], input = '') => {
    const { status, stderr } = spawnSync('git', ['-C', folder, ...args], { input, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`)
  }
  try {
    git(['init', '-q', '-b', 'main'])
    git(['remote', 'add', 'origin', PROJECTS.history])
    const stream = commits.map(({ commit, date, subject, body }) => {
      const message = `${subject}\n\n${body}\n\nCommit-Id: ${commit}\n`
      const seconds = Math.floor(Date.parse(date) / 1000)
      return `commit refs/heads/main\ncommitter Eval <eval@example.com> ${seconds} +0000\ndata ${Buffer.byteLength(message)}\n${message}\n`
    })
    git(['fast-import', '--quiet'], stream.join(''))
    const { status } = spawnSync(command, {
      cwd: folder,
      shell: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    if (status !== 0) throw new Error(`The command of --learn ended with ${status}.`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const STOP_WORDS = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
)
const ENDINGS = /(ies|es|s|ing|ed)$/

const wordsOf = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
      .filter((word) => word.length > 1 && !STOP_WORDS.has(word))
      .map((word) => word.replace(ENDINGS, '')),
  )

/** The share of the words of a rule that a text has. */
function shareOf(rule: string, text: string): number {
  const [wanted, there] = [wordsOf(rule), wordsOf(text)]
  return [...wanted].filter((word) => there.has(word)).length / Math.max(1, wanted.size)
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

type Item = { id: string }
type Delivery = { text: string; items: Item[]; silent: boolean }

const recall = async (
  url: string,
  headers: Headers,
  project: Project,
  id: string,
  prompt: string,
  budget: number,
) => {
  const body = {
    moment: 'prompt',
    text: prompt,
    project_key: PROJECTS[project],
    session_id: `new ${project} ${id}`,
    budget_chars: budget,
  }
  const { text, items, silent } = await call(url, 'POST', '/api/v1/recall', body, headers)
  return { text: text ?? '', items: items ?? [], silent: silent === true } as Delivery
}

/** What came with a delivery: its text, its items and the events that they are about. */
async function sourcesOf(url: string, headers: Headers, { text, items }: Delivery): Promise<string[]> {
  const sources = [text]
  for (const item of items) {
    sources.push(JSON.stringify(item))
    const event = await call(
      url,
      'GET',
      `/api/v1/project-context/events/${item.id}`,
      undefined,
      headers,
    ).catch(() => undefined)
    if (event) sources.push(event.session_id ?? '', event.content ?? '')
  }
  return sources
}

async function score(
  { url }: Vault,
  headers: Headers,
  kind: Question['kind'],
  questions: readonly Question[],
  budget: number,
): Promise<Record<string, string | number>> {
  const counts = { deciding: 0, outdated: 0, other: 0, silent: 0 }
  const shares: { delivered: number; prompt: number }[] = []
  const lengths: number[] = []
  for (const { id, prompt, deciding, outdated, rule } of questions) {
    const delivery = await recall(url, headers, kind === 'chat' ? 'whole' : 'history', id, prompt, budget)
    const sources = await sourcesOf(url, headers, delivery)
    const isFrom = (ids: readonly string[]) =>
      ids.some((one) => sources.some((source) => source.includes(one)))
    if (delivery.items.length === 0) counts.silent++
    else if (isFrom(deciding)) counts.deciding++
    else if (isFrom(outdated)) counts.outdated++
    else counts.other++
    if (rule) shares.push({ delivered: shareOf(rule, delivery.text), prompt: shareOf(rule, prompt) })
    lengths.push(delivery.text.length)
  }
  return {
    'decided in a': kind,
    asked: questions.length,
    ...counts,
    'words of the rule delivered': percent(mean(shares.map(({ delivered }) => delivered))),
    'in the prompt already': percent(mean(shares.map(({ prompt }) => prompt))),
    characters: Math.round(mean(lengths)),
  }
}

/** Asks about bugs whose obvious fix is wrong because a rule was decided in a chat or a commit. */
export async function run(args: string[]): Promise<Table[]> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      learn: { type: 'string' },
      budget: { type: 'string', default: '2000' },
      quick: { type: 'boolean', default: false },
    },
  })
  const [folder] = positionals
  if (folder === undefined) throw new UsageError(USAGE)
  const budget = Number(values.budget)
  const some = <T>(all: T[]) => (values.quick ? all.filter((_, n) => n % 4 === 0) : all)
  const chats = some(linesOf<Chat>(join(folder, 'chats.jsonl')))
  const commits = linesOf<Commit>(join(folder, 'commits.jsonl'))
  const all = linesOf<Question>(join(folder, 'questions.jsonl'))
  const questions = some(all)
  const subjectOf = (session: string) =>
    all.find(({ deciding, outdated }) => [...deciding, ...outdated].includes(session))?.subject
  const subjects = [...new Set(all.map(({ subject }) => subject))].sort()
  const isKnown = (subject: string | undefined) =>
    subject === undefined || subjects.indexOf(subject) % 2 === 1

  const vault = await startVault()
  try {
    const { url } = vault
    const headers = await createApiKey(url, await register(url, 'evaluator'))
    await appendChats(url, headers, 'whole', chats)
    await appendChats(
      url,
      headers,
      'half',
      chats.filter(({ session }) => isKnown(subjectOf(session))),
    )
    await appendChats(
      url,
      headers,
      'history',
      chats.filter(({ session }) => subjectOf(session) === undefined),
    )
    if (values.learn)
      learnFrom(values.learn, commits, { KVAULT_URL: url, KVAULT_API_KEY: headers['x-api-key'] })
    const rows = []
    for (const kind of ['chat', 'commit'] as const)
      rows.push(
        await score(
          vault,
          headers,
          kind,
          questions.filter((one) => one.kind === kind && one.deciding.length > 0),
          budget,
        ),
      )
    const absent = questions.filter(
      ({ kind, subject, deciding }) => kind === 'chat' && (deciding.length === 0 || !isKnown(subject)),
    )
    let silent = 0
    for (const { id, prompt } of absent)
      if ((await recall(url, headers, 'half', id, prompt, budget)).silent) silent++
    return [
      { title: 'what was delivered, by where it is from', rows },
      { title: 'the decision is not there', rows: [{ asked: absent.length, silent }] },
    ]
  } finally {
    await vault.stop()
  }
}
