import type { UserCtx } from '../../core/context.ts'
import { type AskedWord, type Bm25, dampingOf, gainOf, rarity, readQuery } from '../../text/query.ts'
import { isCommonStem } from '../../text/terms.ts'
import { cutText } from '../../text/unicode.ts'
import {
  type CommitRow,
  commitsNumbered,
  countIn,
  findCommit,
  findHistory,
  type HistoryRow,
  listsOf,
  type Posting,
  postingsIn,
  revertsOf,
  wordOf,
} from './commit-store.ts'
import type { Project } from './projects.ts'

export type FoundCommit = {
  row: CommitRow
  /** How likely the commit is about the text, 0 to 1. */
  confidence: number
  /** The commit that takes this one back. */
  revertedBy: CommitRow | undefined
}

/** Messages that explain are long, so length tells little. */
const BM25: Bm25 = { k1: 1.2, b: 0.4 }
const MAX_ASKED_CHARACTERS = 24_000
const MAX_ASKED_WORDS = 200
const MAX_POSTINGS = 400_000
const WEIGHED = 60

/** Words of a small history are counted as if it had this many commits, where each word would look rare. */
const SMALL_HISTORY = 100
const LARGE_HISTORY = 1000
const NAME_WEIGHT = 1.5
const COMMON_WEIGHT = 0.75

/** A name of the code: `cache_key`, `window_p95`, `parseFlag`, `src/a.ts`. */
const NAME = /[a-z]{2}[\w./-]{0,60}[_./]\w|[a-z]\d|[a-z][A-Z]/

type WeighedWord = {
  postings: Posting[]
  weight: number
  isTelling: boolean
  isName: boolean
}

type Candidate = { score: number; covered: number; telling: number; hasName: boolean; matched: number }

/** Fitted on bug reports of two repositories, with and without the deciding commit. */
const CONSTANT = -3.2
const PER_COVERAGE = 15
const PER_TELLING_WORD = 0.35
const MAX_TELLING_WORDS = 6
const FOR_NAME = 2

/** What less than this says may be there by chance: about three rare words. */
const MIN_COVERED = 11
const MIN_MATCHED = 3

function confidenceOf({ covered, telling, hasName, matched }: Candidate, all: number): number {
  const isChance = covered < MIN_COVERED || telling === 0 || (matched < MIN_MATCHED && !hasName)
  const sum =
    CONSTANT +
    (PER_COVERAGE * covered) / Math.max(1, all) +
    PER_TELLING_WORD * Math.min(MAX_TELLING_WORDS, telling) +
    (hasName ? FOR_NAME : 0)
  const confidence = 1 / (1 + Math.exp(-sum))
  return isChance ? Math.min(confidence, WEAK) : confidence
}

const WEAK = 0.3

/** Text as typed tells a name of the code; the query folds its case. */
function namesIn(text: string): ReadonlySet<string> {
  const names = text.split(/[^\w./-]+/).filter((word) => NAME.test(word))
  return new Set(names.map((name) => name.toLowerCase()))
}

/** In a large history, words of more than this share of the commits say nearly nothing and cost most. */
const MAX_SHARE = 0.25

function weigh(text: string, lists: ReadonlyMap<number, string>, asked: readonly AskedWord[], all: number) {
  const names = namesIn(text)
  const most = Math.max(2, Math.sqrt(all) / 6)
  const read = all > LARGE_HISTORY ? all * MAX_SHARE : all
  return asked.flatMap((word): WeighedWord[] => {
    const found = [word.term, ...(word.otherTerms ?? [])].map((term) => lists.get(wordOf(term)) ?? '')
    if (found.reduce((sum, list) => sum + countIn(list), 0) > read) return []
    const postings = found.flatMap((list) => (list === '' ? [] : postingsIn(list)))
    const isName = names.has(word.typed)
    const kind = isName ? NAME_WEIGHT : isCommonStem(word.term) ? COMMON_WEIGHT : 1
    const weight = kind * rarity(postings.length, Math.max(all, SMALL_HISTORY))
    return [{ postings, weight, isName, isTelling: postings.length <= most && !isCommonStem(word.term) }]
  })
}

/** Adds up what each commit has of the text: the rarest words first, since the work is bounded. */
function gather(words: readonly WeighedWord[]): Map<number, Candidate & { gains: [number, number][] }> {
  const found = new Map<number, Candidate & { gains: [number, number][] }>()
  let read = 0
  for (const { postings, weight, isTelling, isName } of [...words].sort(
    (a, b) => a.postings.length - b.postings.length,
  )) {
    read += postings.length
    if (read > MAX_POSTINGS) break
    for (const { commitNo, times } of postings) {
      const candidate = found.get(commitNo) ?? {
        score: 0,
        covered: 0,
        telling: 0,
        hasName: false,
        matched: 0,
        gains: [],
      }
      found.set(commitNo, candidate)
      candidate.score += weight
      candidate.covered += weight
      candidate.matched += 1
      if (isTelling) candidate.telling += 1
      if (isTelling && isName) candidate.hasName = true
      candidate.gains.push([weight, times])
    }
  }
  return found
}

const newestFirst = (a: CommitRow, b: CommitRow) =>
  a.committed_at === b.committed_at ? b.commit_no - a.commit_no : a.committed_at < b.committed_at ? 1 : -1

/** Finds commits about a text, the likeliest first. */
export async function findCommits(
  ctx: UserCtx,
  project: Project,
  text: string,
  limit: number,
): Promise<FoundCommit[]> {
  const history = await findHistory(ctx.db, project)
  if (!history || history.commits === 0) return []
  const { text: read } = cutText(text, MAX_ASKED_CHARACTERS)
  const asked = readQuery(read)
    .filter(({ isStopWord }) => !isStopWord)
    .slice(0, MAX_ASKED_WORDS)
  const hashes = asked.flatMap(({ term, otherTerms = [] }) => [term, ...otherTerms].map(wordOf))
  const lists = await listsOf(ctx.db, project, [...new Set(hashes)])
  const words = weigh(read, lists, asked, history.commits)
  const candidates = gather(words)
  const likely = [...candidates].sort(([, a], [, b]) => b.score - a.score).slice(0, WEIGHED)
  const rows = await commitsNumbered(
    ctx.db,
    project,
    likely.map(([commitNo]) => commitNo),
  )
  const all = words.reduce((sum, { weight }) => sum + weight, 0)
  const ranked = rows
    .map((row) => {
      const candidate = candidates.get(row.commit_no) as Candidate & { gains: [number, number][] }
      return { row, score: scoreOf(candidate.gains, row, history), confidence: confidenceOf(candidate, all) }
    })
    .sort((a, b) => b.score - a.score || newestFirst(a.row, b.row))
    .slice(0, limit)
  const reverts = await revertsOf(
    ctx.db,
    project,
    ranked.map(({ row }) => row.ref),
  )
  return ranked.map(({ row, confidence }) => ({ row, confidence, revertedBy: reverts.get(row.ref) }))
}

/** Returns one commit of the project, with the one that takes it back. */
export async function projectCommit(
  ctx: UserCtx,
  project: Project,
  commitId: string,
): Promise<Omit<FoundCommit, 'confidence'> | undefined> {
  const row = await findCommit(ctx.db, project, commitId)
  return row && { row, revertedBy: (await revertsOf(ctx.db, project, [row.ref])).get(row.ref) }
}

function scoreOf(gains: readonly [number, number][], row: CommitRow, { words, commits }: HistoryRow): number {
  const damping = dampingOf(BM25, row.words, Math.max(1, words / commits))
  return gains.reduce((sum, [weight, times]) => sum + weight * gainOf(BM25, times, damping), 0)
}
