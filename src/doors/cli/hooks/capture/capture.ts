import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountOf } from '../../account.ts'
import { environmentOf } from '../../lock-files/environment.ts'
import { cleanJson, cleanText, Findings } from '../../outgoing.ts'
import type { Profile } from '../../profile.ts'
import { keepEnvironment } from '../environment-cache.ts'
import { type Entry, readJournal, takeJournal } from '../journal.ts'
import type { Words } from '../occasion.ts'
import { startToRedact } from '../safe-cuts.ts'
import { readSession, rememberSession } from '../sessions.ts'
import { put } from '../spool/spool.ts'
import { activityOf } from './activity.ts'
import { agentsWords, exitCodes, lastMessage, personsWords } from './transcript.ts'

const LARGEST_TRANSCRIPT = 256 * 1024 * 1024
const LONGEST_END = 16 * 1024 * 1024
const LONGEST_VERBATIM = 4000
/** How much of a message is redacted: some may paste megabytes. */
const LONGEST_REDACTED = 20_000
/** Older versions of Claude Code write the agent's last words shortly after the Stop event. */
const TRANSCRIPT_LOOKS = 5
const TRANSCRIPT_PAUSE_MS = 200

export type Exchange = {
  agent: string
  profile: Profile
  words: Words
  projectKey: string
  folder: string
  sessionId: string | undefined
}

type Said = { prompt: string; reply: string; id: string }

function transcriptText(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found?.isFile() && found.size <= LARGEST_TRANSCRIPT ? readFileSync(file, 'utf8') : ''
}

/** Claude Code writes the person's words into its transcript, with its own insertions marked. */
async function saidInTranscript({ transcript = '', reply }: Words): Promise<Said | undefined> {
  const person = personsWords(transcriptText(transcript))
  if (!person) return undefined
  let words = reply ?? agentsWords(transcriptText(transcript))
  for (let look = 1; look < TRANSCRIPT_LOOKS && !words; look++) {
    await sleep(TRANSCRIPT_PAUSE_MS)
    words = agentsWords(transcriptText(transcript))
  }
  return words ? { prompt: person.text, reply: words, id: person.id } : undefined
}

/** Other agents pass the words, at the end or as they are said. Copilot has the answer in a file of events. */
function saidInJournal({ prompt, reply, transcript }: Words, journal: readonly Entry[]): Said | undefined {
  const asked = prompt ?? journal.flatMap((entry) => ('prompt' in entry ? [entry.prompt] : [])).at(-1)
  const answered =
    reply ??
    journal.flatMap((entry) => ('reply' in entry ? [entry.reply] : [])).at(-1) ??
    (transcript ? lastMessage(transcriptText(transcript)) : undefined)
  return asked && answered ? { prompt: asked, reply: answered, id: '' } : undefined
}

/** The end of a file, which has the exchange that has just ended. */
function endOf(file: string, most: number): string {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) return ''
  const length = Math.min(found.size, most)
  const buffer = Buffer.alloc(length)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, buffer, 0, length, found.size - length)
  } finally {
    closeSync(descriptor)
  }
  return buffer.toString('utf8')
}

/** Codex passes no exit codes to a hook; its own file of the session has them, and it is right where both say one. */
function withExitCodes(journal: readonly Entry[], { transcript }: Words): Entry[] {
  const isNamed = (entry: Entry) => 'run' in entry && entry.run.id !== undefined
  if (!transcript || !journal.some(isNamed)) return [...journal]
  const codes = exitCodes(endOf(transcript, LONGEST_END))
  return journal.map((entry) =>
    'run' in entry
      ? { run: { ...entry.run, exitCode: codes.get(entry.run.id ?? '') ?? entry.run.exitCode } }
      : entry,
  )
}

/**
 * The interface's rule for long messages: the beginning verbatim, then how much was left out. Secrets are replaced
 * before the cut: half a secret is not recognised.
 */
function verbatim(text: string, findings: Findings): string {
  const start = startToRedact(text, LONGEST_REDACTED)
  const clean = cleanText(start, findings)
  if (clean.length <= LONGEST_VERBATIM) return clean
  const left = clean.length - LONGEST_VERBATIM + (text.length - start.length)
  return `${clean.slice(0, LONGEST_VERBATIM).toWellFormed()}\n[… ${left} more characters]`
}

/** What is stored of an exchange, and the commands that failed last in it. Everything is redacted here. */
function redacted({ agent, words, projectKey, folder, sessionId }: Exchange, said: Said, taken: Entry[]) {
  const environment = environmentOf(folder)
  keepEnvironment(folder, environment)
  const journal = withExitCodes(taken, words)
  const findings = new Findings()
  const clean = (text: string) => cleanText(text, findings)
  const { failing: failedBefore = [] } = readSession(sessionId)
  const { activity, failing } = activityOf(journal, folder, environment, failedBefore, clean)
  const input = {
    project_key: projectKey,
    user_message: verbatim(said.prompt, findings),
    agent_report: verbatim(said.reply, findings),
    client: `${agent}-hook`,
    ...(sessionId ? { session_id: sessionId } : {}),
    meta: { activity: cleanJson(activity, findings) },
  }
  return { input, failing }
}

/**
 * Puts the exchange that has just ended into the spool, with its activity, and returns how many characters that are.
 * It is redacted by the rules of the vault: no secret is written to the spool or leaves the machine. What happened stays
 * in the journal until the exchange is written.
 */
export async function captureTurn(exchange: Exchange): Promise<number> {
  const { agent, profile, words, sessionId } = exchange
  const { stored } = readSession(sessionId)
  const said =
    agent === 'claude-code' ? await saidInTranscript(words) : saidInJournal(words, readJournal(sessionId))
  // An agent also continues after a notification; then the person's message is already stored.
  if (!said || (said.id !== '' && stored === said.id)) return 0
  return takeJournal(sessionId, (taken) => {
    const { input, failing } = redacted(exchange, said, taken)
    put({ url: profile.url, account: accountOf(profile), agent, input })
    rememberSession(sessionId, { failing, ...(said.id === '' ? {} : { stored: said.id }) })
    return JSON.stringify(input).length
  })
}
