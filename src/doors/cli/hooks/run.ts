import { appendFileSync } from 'node:fs'
import { type Deed, idsBefore } from '../../../shared/before.ts'
import { commandText } from '../../../text/command-output.ts'
import { withoutControls } from '../../../text/unicode.ts'
import { postJson } from '../http-request.ts'
import { findProfile, type Profile } from '../profile.ts'
import { findRemoteKey, ownKey, type ProjectFile, passingName, readProjectFiles } from '../project-name.ts'
import {
  type Answer,
  type CommandRun,
  everySwitch,
  type HookAgent,
  isOff,
  isPayload,
  type Moment,
  type Occasion,
  type RecallMoment,
  SILENCE,
} from './agents.ts'
import { bothEnds, hasFailed, outputToRedact } from './command-result.ts'
import { askedFile, findNames, pathIn, wasAsked } from './names-index.ts'
import type { FoundProject, NamedProject } from './project-permission.ts'
import {
  forgetOldSessions,
  knownEnvironment,
  note,
  noteRun,
  readSession,
  rememberSession,
  storableId,
} from './state.ts'

type RecallRequest = {
  moment: RecallMoment
  /** Without secrets. */
  text?: string | undefined
  projectKey: string
  sessionId?: string | undefined
  client: string
  environment?: Record<string, string> | undefined
  /** Before a tool: ids of what names the file or command. */
  about?: string[] | undefined
  /** Ids that this session has already seen. */
  exclude?: string[] | undefined
  /** The last answer never reached this session, though the vault may have noted it as delivered. */
  lostAnswer?: boolean | undefined
}

type Recalled = { text: string; ids: string[] }

const NOTHING: Recalled = { text: '', ids: [] }
/** Limit of characters; the vault never sends more. */
const MAX_TEXT_CHARACTERS = 8000
const MIN_BUDGET = 200
const MAX_EXCLUDED = 100

/** Returns the person's budget for a start or a compaction; other moments use the vault's default. */
function budgetFor(moment: RecallMoment): { budget_chars?: number } {
  const given = Number(process.env.KVAULT_HOOK_CHARS)
  if (
    !Number.isInteger(given) ||
    given <= 0 ||
    moment === 'prompt' ||
    moment === 'failure' ||
    moment === 'before'
  )
    return {}
  return { budget_chars: Math.min(Math.max(given, MIN_BUDGET), MAX_TEXT_CHARACTERS) }
}

const given = <T>(name: string, value: T | undefined): Record<string, T> =>
  value === undefined ? {} : { [name]: value }

/** Asks the vault at a moment. An empty answer is no error; any status other than 200 is. */
async function recall(profile: Profile, question: RecallRequest, timeoutMs: number): Promise<Recalled> {
  const { status, body } = await postJson(
    `${profile.url}/api/v1/recall`,
    {
      moment: question.moment,
      project_key: question.projectKey,
      client: question.client,
      ...given('session_id', question.sessionId),
      ...given('environment', question.environment),
      ...given('about', question.about),
      ...given('exclude', question.exclude?.slice(-MAX_EXCLUDED)),
      ...(question.lostAnswer ? { lost_answer: true } : {}),
      ...budgetFor(question.moment),
    },
    { apiKey: profile.apiKey, timeoutMs, redacted: given('text', question.text) },
  )
  if (status !== 200) throw new Error(`the vault answered ${status}`)
  const { silent, text, items } = (body ?? {}) as { silent?: unknown; text?: unknown; items?: unknown }
  if (silent === true || typeof text !== 'string' || text.trim() === '') return NOTHING
  const ids = Array.isArray(items)
    ? items.flatMap((item) => (typeof item?.id === 'string' ? [item.id] : []))
    : []
  return { text: withoutControls(text).slice(0, MAX_TEXT_CHARACTERS).toWellFormed(), ids }
}

/** Timeout in ms of a hook: a person waits. */
const GIVE_UP_MS = 800
/** Time in ms to store an exchange at its end: nobody waits, and an unstored exchange is lost. */
const END_IS_KEPT_WITHIN_MS = 60_000
/** A name in a file is compared with the existing projects at each start, and else only once in this time in ms. */
const NAME_CHECKED_MS = 60 * 60_000
/** Timeout in ms for asking the vault about a project name at the end of an exchange. */
const LOOK_AT_THE_END_MS = 5000
const MAX_TEXT_LENGTH = 32_000
const MAX_COMMAND_LENGTH = 4000
/**
 * A longer text is cut first, at a place where no secret can be cut: redacting all would take too long. It is more
 * than is asked, because a name beyond the cut may make a value secret.
 */
const MAX_REDACTED = 48_000
/** Shorter prompts ("yes", "go on") are not searched. */
const MIN_PROMPT_LENGTH = 12

const patienceMs = (): number => {
  const given = Number(process.env.KVAULT_HOOK_WAIT_MS)
  return Number.isInteger(given) && given > 0 ? given : GIVE_UP_MS
}

/** Returns a hook's timeout, which the event's name decides before the payload is read. */
export function longestMs(agent: HookAgent, event: string): number {
  const kind = agent.read(event, {})?.kind
  return kind === 'stop' || kind === 'end' ? END_IS_KEPT_WITHIN_MS : patienceMs()
}

type HookCall = {
  agent: HookAgent
  event: string
  /** The agent's input; null if too large. */
  text: string | null
  /** Starts to send the spool without waiting. At a start, the folder's list of names is fetched too. */
  startSending: (folder?: string) => void
}

type Scene = {
  call: HookCall
  occasion: Occasion
  profile: Profile
  folder: string
  file: ProjectFile
  off: string[]
  /** The name in the file, if it is not allowed. */
  withheld?: NamedProject | undefined
}

const isOn = ({ call, off }: Scene, moment: Moment): boolean => !isOff(off, call.agent.name, moment)

async function projectKey(scene: Scene, timeoutMs: number): Promise<string> {
  const { folder, file, profile } = scene
  const { sessionId } = scene.occasion
  const { project } = readSession(sessionId)
  if (project?.folder === folder) return project.key
  const remote = await findRemoteKey(folder)
  const maxAgeMs = scene.occasion.kind === 'start' ? 0 : NAME_CHECKED_MS
  const isNamedByFile = remote === undefined && file.projectKey !== undefined
  const { key, withheld }: FoundProject = isNamedByFile
    ? await (await import('./later.ts')).findWithoutRemote(folder, profile, file, { timeoutMs, maxAgeMs })
    : { key: remote ?? ownKey(folder) }
  scene.withheld = withheld
  if (!isNamedByFile || key === file.projectKey) rememberSession(sessionId, { project: { folder, key } })
  return key
}

/** Returns the project for a question. Without a stored name, entries outside of projects are still found. */
async function projectToAsk(scene: Scene, timeoutMs: number): Promise<string> {
  try {
    return await projectKey(scene, timeoutMs)
  } catch {
    return passingName()
  }
}

/** Returns the text without secrets. Call it before a cut: half a secret is not recognised. */
async function redacted(text: string): Promise<string> {
  const { withoutSecrets } = await import('../outgoing.ts')
  return withoutSecrets(outputToRedact(text, MAX_REDACTED)).value
}

/** Returns the text of a failure without an exit code of 0, which only hides the real one in a pipe. */
const failureText = async ({ command, exitCode, output }: CommandRun): Promise<string> =>
  commandText({
    command: (await redacted(command)).slice(0, MAX_COMMAND_LENGTH).toWellFormed(),
    ...(exitCode ? { exitCode } : {}),
    output: bothEnds(await redacted(output), MAX_TEXT_LENGTH),
  })

const promptText = async (prompt: string): Promise<string> =>
  bothEnds(await redacted(prompt), MAX_TEXT_LENGTH)

async function ask(
  scene: Scene,
  moment: RecallMoment,
  readText?: () => Promise<string>,
  about?: string[],
): Promise<string> {
  const { call, occasion, profile } = scene
  if (!isOn(scene, moment)) return ''
  const { sessionId } = occasion
  const elapsed = () => Math.round(performance.now())
  try {
    const { shown = [], unheard } = readSession(sessionId)
    // git runs while the rules of redaction load.
    const projectKey = projectToAsk(scene, patienceMs() - elapsed())
    const text = await readText?.()
    const question = {
      moment,
      text,
      projectKey: await projectKey,
      sessionId,
      client: call.agent.name,
      environment: knownEnvironment(scene.folder),
      about,
      // After a start or a compaction the agent no longer knows the shown items.
      ...(text !== undefined && shown.length > 0 ? { exclude: shown } : {}),
      ...(text !== undefined && unheard ? { lostAnswer: true } : {}),
    }
    const recalled = await recall(profile, question, patienceMs() - elapsed())
    if (recalled.ids.length > 0)
      rememberSession(sessionId, (former) => ({ shown: [...(former.shown ?? []), ...recalled.ids] }))
    noteRun(call.agent.name, moment, { ms: elapsed(), chars: recalled.text.length })
    return recalled.text
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    rememberSession(sessionId, { unheard: true })
    noteRun(call.agent.name, moment, { ms: elapsed(), chars: 0, error: reason })
    return ''
  }
}

async function said(scene: Scene, texts: readonly string[]): Promise<Answer> {
  const { withheld } = scene
  const advice = withheld && canInject(scene) ? (await import('./later.ts')).adviceOnce(withheld) : undefined
  const text = [advice ?? '', ...texts].filter((one) => one !== '').join('\n\n')
  return text === '' ? SILENCE : (scene.call.agent.inject(scene.call.event, text) ?? SILENCE)
}

const canInject = ({ call: { agent, event } }: Scene): boolean => agent.inject(event, '') !== undefined

/** Handles a start; a resumed session still has the text of its start. */
async function onStart(scene: Scene, after: 'nothing' | 'pause' | 'compaction'): Promise<Answer> {
  forgetOldSessions()
  scene.call.startSending(scene.folder)
  if (after === 'pause') return SILENCE
  const { sessionId } = scene.occasion
  rememberSession(sessionId, {
    compacted: false,
    ...(after === 'nothing' ? { shown: [], unheard: false } : {}),
  })
  return said(scene, [await ask(scene, after === 'compaction' ? 'compact' : 'start')])
}

/** Handles a prompt, with the recall that an earlier compaction did not get. */
async function onPrompt(scene: Scene, prompt: string): Promise<Answer> {
  const { sessionId } = scene.occasion
  if (isOn(scene, 'capture')) note(sessionId, { prompt })
  if (!canInject(scene)) return SILENCE
  const { compacted } = readSession(sessionId)
  if (compacted) rememberSession(sessionId, { compacted: false })
  const isQuestion = prompt.trim().length >= MIN_PROMPT_LENGTH && !prompt.trimStart().startsWith('/')
  const texts = await Promise.all([
    compacted ? ask(scene, 'compact') : '',
    isQuestion ? ask(scene, 'prompt', () => promptText(prompt)) : '',
  ])
  return said(scene, texts)
}

async function onCommand(scene: Scene, run: CommandRun): Promise<Answer> {
  if (isOn(scene, 'capture')) note(scene.occasion.sessionId, { run })
  if (!canInject(scene) || !hasFailed(run)) return SILENCE
  return said(scene, [await ask(scene, 'failure', () => failureText(run))])
}

/** Says what names a file or command before the agent touches it, once in a session. */
async function onBefore(scene: Scene, deed: Deed): Promise<Answer> {
  const names = findNames(scene.folder)
  if (!names || !canInject(scene)) return SILENCE
  const named: Deed = 'file' in deed ? { file: pathIn(names.folder, deed.file) } : deed
  const name = 'file' in named ? named.file : named.command
  const about = idsBefore(names, named)
  const { sessionId } = scene.occasion
  if (about.length === 0 || (sessionId && wasAsked(sessionId, name))) return SILENCE
  if (sessionId) appendFileSync(askedFile(sessionId), `${name.replaceAll('\n', ' ')}\n`, { mode: 0o600 })
  const text = async () => (await redacted(name)).slice(0, MAX_COMMAND_LENGTH).toWellFormed()
  return said(scene, [await ask(scene, 'before', text, about)])
}

async function onCompact(scene: Scene): Promise<Answer> {
  if (canInject(scene)) return said(scene, [await ask(scene, 'compact')])
  rememberSession(scene.occasion.sessionId, { compacted: true })
  return SILENCE
}

/** Handles the end of an exchange. Lock files and the spool are loaded only here. */
async function onStop(scene: Scene): Promise<Answer> {
  const { occasion, call, profile, folder } = scene
  if (occasion.kind === 'stop' && isOn(scene, 'capture')) {
    const { captureTurn } = await import('./later.ts')
    const { sessionId, words } = occasion
    const where = { projectKey: await projectKey(scene, LOOK_AT_THE_END_MS), folder, sessionId }
    const chars = await captureTurn({ agent: call.agent.name, profile, words, ...where })
    if (chars > 0) noteRun(call.agent.name, 'capture', { ms: Math.round(performance.now()), chars })
  }
  call.startSending()
  return SILENCE
}

function play(scene: Scene): Promise<Answer> | Answer {
  const { occasion } = scene
  const { sessionId } = occasion
  if (occasion.kind === 'start') return onStart(scene, occasion.after)
  if (occasion.kind === 'prompt') return onPrompt(scene, occasion.prompt)
  if (occasion.kind === 'command') return onCommand(scene, occasion.run)
  if (occasion.kind === 'compact') return onCompact(scene)
  if (occasion.kind === 'before') return onBefore(scene, occasion.deed)
  if (occasion.kind === 'stop' || occasion.kind === 'end') return onStop(scene)
  if (isOn(scene, 'capture'))
    note(sessionId, occasion.kind === 'edit' ? { files: occasion.files } : { reply: occasion.reply })
  return SILENCE
}

/** Parses the payload; some shells put a byte order mark before it. */
function payloadOf({ text }: HookCall): unknown {
  if (text === null) throw new Error('the agent passed more than 16 MB, which was not read')
  return JSON.parse(text.replace(/^\uFEFF/, '') || '{}')
}

function occasionOf(call: HookCall): Occasion | undefined {
  const payload = payloadOf(call)
  const occasion = isPayload(payload) ? call.agent.read(call.event, payload) : undefined
  return occasion?.sessionId ? { ...occasion, sessionId: storableId(occasion.sessionId) } : occasion
}

/** Runs a hook. An error never stops the agent: the answer is empty, and `kvault doctor` shows the cause. */
export async function runHook(call: HookCall): Promise<Answer> {
  try {
    const { apiKey, ...rest } = findProfile()
    if (!apiKey) return SILENCE
    const occasion = occasionOf(call)
    if (!occasion) return SILENCE
    const folder = occasion.folder ?? process.cwd()
    const file = readProjectFiles(folder)
    const off = everySwitch(file.off)
    if (off.includes('all') || off.includes(call.agent.name)) return SILENCE
    return await play({ call, occasion, profile: { ...rest, apiKey }, folder, file, off })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    noteRun(call.agent.name, 'capture', { ms: Math.round(performance.now()), chars: 0, error: reason })
    return SILENCE
  }
}
