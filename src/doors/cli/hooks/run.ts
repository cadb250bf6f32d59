import { commandText } from '../../../text/command-output.ts'
import { withoutControls } from '../../../text/unicode.ts'
import { postJson } from '../http-request.ts'
import { findProfile, type Profile } from '../profile.ts'
import { ownKey, type ProjectFile, passingName, readProjectFiles, remoteKey } from '../project-name.ts'
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

export type Question = {
  moment: RecallMoment
  text?: string | undefined
  projectKey: string
  sessionId?: string | undefined
  client: string
  environment?: Record<string, string> | undefined
  /** Ids that this session has seen already. */
  exclude?: string[] | undefined
  /** The vault may have noted an answer as delivered that this session never got. */
  lostAnswer?: boolean | undefined
}

export type Recalled = { text: string; ids: string[] }

const NOTHING: Recalled = { text: '', ids: [] }
/** A longer answer is cut. The vault never sends more than this. */
const LONGEST_TEXT = 8000
const LEAST_BUDGET = 200
const MOST_EXCLUDED = 100

/** A person can set the budget of a start and of a compaction. The other moments use the vault's default. */
function budgetFor(moment: RecallMoment): { budget_chars?: number } {
  const given = Number(process.env.KVAULT_HOOK_CHARS)
  if (!Number.isInteger(given) || given <= 0 || moment === 'prompt' || moment === 'failure') return {}
  return { budget_chars: Math.min(Math.max(given, LEAST_BUDGET), LONGEST_TEXT) }
}

const given = <T>(name: string, value: T | undefined): Record<string, T> =>
  value === undefined ? {} : { [name]: value }

/** Asks the vault at this moment. An answer other than 200 is an error; silence is not. */
async function recall(profile: Profile, question: Question, timeoutMs: number): Promise<Recalled> {
  const { status, body } = await postJson(
    `${profile.url}/api/v1/recall`,
    {
      moment: question.moment,
      project_key: question.projectKey,
      client: question.client,
      ...given('text', question.text),
      ...given('session_id', question.sessionId),
      ...given('environment', question.environment),
      ...given('exclude', question.exclude?.slice(-MOST_EXCLUDED)),
      ...(question.lostAnswer ? { lost_answer: true } : {}),
      ...budgetFor(question.moment),
    },
    { apiKey: profile.apiKey, timeoutMs },
  )
  if (status !== 200) throw new Error(`the vault answered ${status}`)
  const { silent, text, items } = (body ?? {}) as { silent?: unknown; text?: unknown; items?: unknown }
  if (silent === true || typeof text !== 'string' || text.trim() === '') return NOTHING
  const ids = Array.isArray(items)
    ? items.flatMap((item) => (typeof item?.id === 'string' ? [item.id] : []))
    : []
  return { text: withoutControls(text).slice(0, LONGEST_TEXT).toWellFormed(), ids }
}

/** A person waits for their agent, so the hook gives up after this time. */
const GIVE_UP_MS = 800
/** Nobody waits for an answer at the end of an exchange, and what is not kept then is lost. */
const END_IS_KEPT_WITHIN_MS = 60_000
/** How long the vault may take at the end of an exchange to say whether it knows the name of a project. */
const LOOK_AT_THE_END_MS = 5000
const MAX_TEXT_LENGTH = 32_000
const LONGEST_COMMAND = 4000
/** A longer text is first cut where no secret can be cut with it: to redact all of it would take longer than the hook has. */
const MAX_REDACTED = 128_000
/** "yes", "go on": nothing to look for. */
const SHORTEST_PROMPT = 12

const patienceMs = (): number => {
  const given = Number(process.env.KVAULT_HOOK_WAIT_MS)
  return Number.isInteger(given) && given > 0 ? given : GIVE_UP_MS
}

/** How long a hook may wait. It is set before the payload is read: the name of the event has to tell. */
export function longestMs(agent: HookAgent, event: string): number {
  const kind = agent.read(event, {})?.kind
  return kind === 'stop' || kind === 'end' ? END_IS_KEPT_WITHIN_MS : patienceMs()
}

export type HookCall = {
  agent: HookAgent
  event: string
  /** What the agent wrote to standard input; null if that is too large to be read. */
  text: string | null
  /** Starts to send the spool, without waiting for it. */
  startSending: () => void
}

/** Everything that is known before anything is done. */
type Scene = {
  call: HookCall
  occasion: Occasion
  profile: Profile
  folder: string
  file: ProjectFile
  off: string[]
  /** The name in the file, where it turned out not to count. */
  withheld?: NamedProject | undefined
}

const isOn = ({ call, off }: Scene, moment: Moment): boolean => !isOff(off, call.agent.name, moment)

/** Git is asked once per folder and session; as long as the name in the file does not count, each time. */
async function projectKey(scene: Scene, timeoutMs: number): Promise<string> {
  const { folder, file, profile } = scene
  const { sessionId } = scene.occasion
  const { project } = readSession(sessionId)
  if (project?.folder === folder) return project.key
  const remote = remoteKey(folder)
  const isNamedByFile = remote === undefined && file.projectKey !== undefined
  const { key, withheld }: FoundProject = isNamedByFile
    ? await (await import('./later.ts')).findProject(folder, profile, file, timeoutMs)
    : { key: remote ?? ownKey(folder) }
  scene.withheld = withheld
  if (!isNamedByFile || key === file.projectKey) rememberSession(sessionId, { project: { folder, key } })
  return key
}

/** A question needs no lasting name: if none can be kept, what belongs to no project is still found. */
async function projectToAsk(scene: Scene, timeoutMs: number): Promise<string> {
  try {
    return await projectKey(scene, timeoutMs)
  } catch {
    return passingName()
  }
}

/** Returns the text without its secrets. It comes before the cut of a question: half a secret is not recognised. */
async function redacted(text: string): Promise<string> {
  const { withoutSecrets } = await import('../outgoing.ts')
  return withoutSecrets(outputToRedact(text, MAX_REDACTED)).value
}

/** An exit code of 0 comes from a pipe that hides the real one, so it is left out. */
const failureText = async ({ command, exitCode, output }: CommandRun): Promise<string> =>
  commandText({
    command: (await redacted(command)).slice(0, LONGEST_COMMAND).toWellFormed(),
    ...(exitCode ? { exitCode } : {}),
    output: bothEnds(await redacted(output), MAX_TEXT_LENGTH),
  })

const promptText = async (prompt: string): Promise<string> =>
  bothEnds(await redacted(prompt), MAX_TEXT_LENGTH)

/**
 * What the vault delivers at one moment; nothing if the moment is off, or if the vault is slow or unreachable. The
 * outcome is logged.
 */
async function ask(scene: Scene, moment: RecallMoment, readText?: () => Promise<string>): Promise<string> {
  const { call, occasion, profile } = scene
  if (!isOn(scene, moment)) return ''
  const { sessionId } = occasion
  const elapsed = () => Math.round(performance.now())
  try {
    const { shown = [], unheard } = readSession(sessionId)
    const text = await readText?.()
    const question = {
      moment,
      text,
      projectKey: await projectToAsk(scene, patienceMs() - elapsed()),
      sessionId,
      client: call.agent.name,
      environment: knownEnvironment(scene.folder),
      // At a start and after a compaction the agent no longer knows what it was shown.
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

/** A resumed session still has the text of its start in its conversation. */
async function onStart(scene: Scene, after: 'nothing' | 'pause' | 'compaction'): Promise<Answer> {
  forgetOldSessions()
  scene.call.startSending()
  if (after === 'pause') return SILENCE
  const { sessionId } = scene.occasion
  rememberSession(sessionId, {
    compacted: false,
    ...(after === 'nothing' ? { shown: [], unheard: false } : {}),
  })
  return said(scene, [await ask(scene, after === 'compaction' ? 'compact' : 'start')])
}

/** A compaction that could not be answered is answered at the next prompt. */
async function onPrompt(scene: Scene, prompt: string): Promise<Answer> {
  const { sessionId } = scene.occasion
  if (isOn(scene, 'capture')) note(sessionId, { prompt })
  if (!canInject(scene)) return SILENCE
  const { compacted } = readSession(sessionId)
  if (compacted) rememberSession(sessionId, { compacted: false })
  const isQuestion = prompt.trim().length >= SHORTEST_PROMPT && !prompt.trimStart().startsWith('/')
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

async function onCompact(scene: Scene): Promise<Answer> {
  if (canInject(scene)) return said(scene, [await ask(scene, 'compact')])
  rememberSession(scene.occasion.sessionId, { compacted: true })
  return SILENCE
}

/** Lock files and the spool are loaded only here: no other moment waits for them. */
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
  if (occasion.kind === 'stop' || occasion.kind === 'end') return onStop(scene)
  if (isOn(scene, 'capture'))
    note(sessionId, occasion.kind === 'edit' ? { files: occasion.files } : { reply: occasion.reply })
  return SILENCE
}

/** Some shells put a byte order mark before what they pass on. */
function payloadOf({ text }: HookCall): unknown {
  if (text === null) throw new Error('the agent passed more than 16 MB, which was not read')
  return JSON.parse(text.replace(/^\uFEFF/, '') || '{}')
}

/** What has happened. The session has the id by which the vault can know it. */
function occasionOf(call: HookCall): Occasion | undefined {
  const payload = payloadOf(call)
  const occasion = isPayload(payload) ? call.agent.read(call.event, payload) : undefined
  return occasion?.sessionId ? { ...occasion, sessionId: storableId(occasion.sessionId) } : occasion
}

/** Executes a hook. An error never stops the agent: the answer is silence, and `kvault doctor` says why. */
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
