import { withoutControls } from '../../../text/control-characters.ts'
import type { Profile } from '../profile.ts'
import type { RecallMoment } from './occasion.ts'
import { postJson } from './post-json.ts'

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
export async function recall(profile: Profile, question: Question, timeoutMs: number): Promise<Recalled> {
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
