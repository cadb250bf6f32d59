import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Collection, cardOf } from '../lib/collections.ts'
import { randomFrom } from '../lib/texts.ts'
import type { Card as NewCard } from '../lib/vault.ts'
import {
  type Card,
  linesOf,
  readCards,
  readQueries,
  readUnanswerable,
  type WrittenQuery,
} from '../symptom-fix/data.ts'
import { failing, ownFailure, success } from './executions.ts'
import { executionOf, FAMILIES } from './seen-before.ts'

/**
 * Failures with a card in somebody's own words, and for each a near failure: the same tool, mostly the same sentence, and
 * another cause, module, version or file, so that the card is wrong for it. Each set was written at once, before anybody
 * had looked at what recall does with it.
 */
export type NearFailure = {
  id: string
  failure: string
  near: string
  title: string
  symptom: string
  fix: string
  /** How people search for the card. */
  queries: string[]
  /** How people search for the near failure; only the second set has it. */
  near_query?: string
}

export const readSet = (name: string): NearFailure[] =>
  readFileSync(join(import.meta.dirname, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** Neighbours are about the same tool: each half and each vault has some of it. */
export const halfOfNear = (n: number): Case['half'] => (n % 2 === 0 ? 'tuning' : 'reporting')
export const isInFirst = (n: number): boolean => (n >> 1) % 2 === 0

export const named = ({ id, title, symptom, fix }: NearFailure) => ({
  name: id,
  card: { title, symptom, root_cause: '', fix_summary: fix, tags: [], environment: {} },
})

/** Two sets, each in two vaults with half of its cards. The second stands beside all cards of the first. */
const NEAR_SETS = [
  { file: 'near-failures', vaults: [2, 3], with: 'failure of 30 tools', near: 'near failure' },
  { file: 'more-failures', vaults: [4, 5], with: 'failure of 24 trades', near: 'near failure there' },
] as const

type NearVault = (typeof NEAR_SETS)[number]['vaults'][number]
const NEAR_KINDS = NEAR_SETS.flatMap(({ with: its, near }) => [its, near])

/** The cards of a vault. */
const nearCards = (vault: NearVault) =>
  NEAR_SETS.flatMap(({ file, vaults: [first, second] }, at) => {
    const isOlder = NEAR_SETS.slice(at + 1).some(({ vaults }) => vaults.some((other) => other === vault))
    return readSet(file)
      .filter((_, n) => isOlder || (isInFirst(n) ? first : second) === vault)
      .map(named)
  })

/** Both failures are asked in both vaults: only one has the card. */
const nearCases = (): Case[] =>
  NEAR_SETS.flatMap((set) =>
    readSet(set.file).flatMap(({ id, failure, near }, n) => {
      const half = halfOfNear(n)
      const [own, other] = isInFirst(n) ? set.vaults : ([set.vaults[1], set.vaults[0]] as const)
      const asked = { moment: 'failure', half } as const
      const wrong = { ...asked, kind: set.near, answer: undefined }
      return [
        { ...asked, kind: set.with, sort: 'its card', text: failure, answer: id, vault: own },
        { ...wrong, sort: 'beside the card', text: near, vault: own },
        { ...wrong, sort: 'without it', text: near, vault: other },
        { ...wrong, sort: 'its card is gone', text: failure, vault: other },
      ]
    }),
  )

const DRAWN_KINDS = ['failure with', 'failure without', 'success', 'prompt with', 'prompt without'] as const
type DrawnKind = (typeof DRAWN_KINDS)[number]
export const KINDS = [...DRAWN_KINDS, ...NEAR_KINDS]
export type Kind = (typeof KINDS)[number]

/** The last four are those of the near failures. */
export const VAULTS = [0, 1, 2, 3, 4, 5] as const
export type Vault = 0 | 1 | NearVault

export type Case = {
  kind: Kind
  /** The sort within the kind, for the report. */
  sort: string
  moment: 'failure' | 'prompt'
  text: string
  /** The name of the card that fits, if the vault has one. */
  answer: string | undefined
  /** In which of the vaults it is asked. */
  vault: Vault
  /** All cases about one card are in the same half, so that nothing is tuned on reported cases. */
  half: 'tuning' | 'reporting'
}

const HOW_MANY: Record<DrawnKind, number> = {
  'failure with': 300,
  'failure without': 300,
  success: 300,
  'prompt with': 200,
  'prompt without': 200,
}

export type Named = { name: string; card: NewCard }

export const described = ({ id, title, symptom, root_cause, fix, tags, environment }: Card): Named => ({
  name: id,
  card: { title, symptom, root_cause, fix_summary: fix, tags, environment },
})

/** A card as an agent records it after solving a problem: the exact error, its own title, the fix. */
const seen = (n: number): Named => {
  const family = FAMILIES[n] as (typeof FAMILIES)[number]
  const { command, error } = executionOf(family, n)
  const symptom = `${command} fails: ${error}`
  const card = {
    title: family.title,
    symptom,
    root_cause: '',
    fix_summary: family.fix,
    tags: [],
    environment: {},
  }
  return { name: `seen-${n}`, card }
}

const MAX_TEXTS = 2000

const drawnCards = (vault: 0 | 1): Named[] => [
  ...readCards()
    .filter((_, i) => i % 2 === vault)
    .map(described),
  ...FAMILIES.flatMap((_, n) => (n % 2 === vault ? [seen(n)] : [])),
]

/**
 * Each of two vaults has half of the cards, so an error has its card in one vault and not in the other. All have the same
 * other texts.
 */
export function cardsOf(vault: Vault, collections: readonly Collection[]): Named[] {
  const others = collections.flatMap(({ name, texts }) =>
    texts.slice(0, MAX_TEXTS).map(
      (text): Named => ({
        name: `${name} ${text._id}`,
        card: cardOf(text),
      }),
    ),
  )
  return [...(vault === 0 || vault === 1 ? drawnCards(vault) : nearCards(vault)), ...others]
}

/** Divides cases evenly, by a hash of their subject. */
function halfOf(about: string): Case['half'] {
  let hash = 7
  for (const character of about) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0
  return (hash >>> 3) % 2 === 0 ? 'tuning' : 'reporting'
}

type Drawn = Omit<Case, 'half' | 'kind'> & { kind: DrawnKind; about: string }

/** Each is asked in both vaults: in one its card is there. */
function inBoth(
  name: string,
  cardVault: number,
  make: (vault: 0 | 1) => { text: string; sort: string; moment: Case['moment'] },
): Drawn[] {
  return ([0, 1] as const).map((vault) => {
    const { text, sort, moment } = make(vault)
    const isThere = cardVault === vault
    const asked = moment === 'failure' ? 'failure' : 'prompt'
    const kind: DrawnKind = isThere ? `${asked} with` : `${asked} without`
    return { kind, sort, moment, text, vault, answer: isThere ? name : undefined, about: name }
  })
}

const EXECUTIONS = 4

function failures(vaultOf: ReadonlyMap<string, number>): Drawn[] {
  const errors = linesOf<WrittenQuery>('written.jsonl').filter(({ kind }) => kind === 'error')
  const logs = readQueries().filter(({ kind }) => kind === 'log')
  const drawn = [...errors, ...logs].flatMap(({ text, answer }, n) =>
    inBoth(answer, vaultOf.get(answer) ?? 0, (vault) => ({
      text: failing(answer.split('-')[0] ?? '', text, 2 * n + vault),
      sort: 'described by a card',
      moment: 'failure',
    })),
  )
  const again = FAMILIES.flatMap((family, n) =>
    Array.from({ length: EXECUTIONS }, (_, i) =>
      inBoth(`seen-${n}`, n % 2, (vault) => {
        const { error } = executionOf(family, 1000 + n * 20 + 2 * i + vault)
        return { text: failing('', error, n * 31 + i), sort: 'seen before', moment: 'failure' }
      }),
    ).flat(),
  )
  const own = Array.from(
    { length: 150 },
    (_, n): Drawn => ({
      kind: 'failure without',
      sort: 'of own code',
      moment: 'failure',
      text: ownFailure(n),
      vault: n % 2 === 0 ? 0 : 1,
      answer: undefined,
      about: `own ${n}`,
    }),
  )
  return [...drawn, ...again, ...own]
}

/** Unanswered questions of the benchmark about products of `seen-before.ts`. They may have an answer here. */
const KNOWN_PRODUCTS =
  /redis|kafka|mysql|rabbit|elastic|cmake|grpc|rails|laravel|php|composer|ansible|ffmpeg|\bgem\b|mongo|latex|hugo|dotnet|nuget/i

const SMALL_TALK = [
  'yes, go on',
  'run the tests again',
  'looks good, commit it',
  'why?',
  'please continue',
  'use the other one',
]
const REQUESTS = ['', 'Please help: ', 'We see this since yesterday. ', 'Can you fix this? ']

function prompts(vaultOf: ReadonlyMap<string, number>, collections: readonly Collection[]): Drawn[] {
  const words = readQueries().filter(({ kind }) => kind === 'title' || kind === 'paraphrase')
  const drawn = words.flatMap(({ text, answer, kind }, n) =>
    inBoth(answer, vaultOf.get(answer) ?? 0, () => ({
      text: `${REQUESTS[n % REQUESTS.length]}${text}`,
      sort: kind === 'title' ? 'in the words of a card' : 'in other words',
      moment: 'prompt',
    })),
  )
  const none = (sort: string, texts: readonly string[]) =>
    texts.map(
      (text, n): Drawn => ({
        kind: 'prompt without',
        sort,
        moment: 'prompt',
        text,
        vault: n % 2 === 0 ? 0 : 1,
        answer: undefined,
        about: `${sort} ${n}`,
      }),
    )
  // Questions whose texts are not among those that were loaded.
  const foreign = collections.flatMap(({ texts, queries, judgements }) => {
    const loaded = new Set(texts.slice(0, MAX_TEXTS).map(({ _id }) => _id))
    const isLoaded = (id: string) => [...(judgements.get(id)?.keys() ?? [])].some((text) => loaded.has(text))
    return queries.filter(({ _id }) => !isLoaded(_id)).map(({ text }) => text)
  })
  return [
    ...drawn,
    ...none(
      'other topics',
      readUnanswerable()
        .map(({ text }) => text)
        .filter((text) => !KNOWN_PRODUCTS.test(text)),
    ),
    ...none('of a collection', foreign.slice(0, 200)),
    ...none(
      'small talk',
      Array.from({ length: 60 }, (_, n) => SMALL_TALK[n % SMALL_TALK.length] as string),
    ),
  ]
}

/** As many cases of each kind as asked for, with equal numbers of each sort if there are enough. */
function drawn(all: readonly Drawn[]): Case[] {
  const random = randomFrom(5)
  return DRAWN_KINDS.flatMap((kind) => {
    const sorts = Map.groupBy(
      all.filter((one) => one.kind === kind),
      ({ sort }) => sort,
    )
    const shuffled = [...sorts.values()].map((list) =>
      list
        .map((one) => ({ one, at: random(1e9) }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one),
    )
    const taken: Drawn[] = []
    for (let i = 0; taken.length < HOW_MANY[kind] && shuffled.some((list) => i < list.length); i++)
      for (const list of shuffled) {
        const next = list[i]
        if (next && taken.length < HOW_MANY[kind]) taken.push(next)
      }
    return taken.map(({ about, ...one }) => ({ ...one, half: halfOf(about) }))
  })
}

export function casesOf(collections: readonly Collection[]): Case[] {
  const vaultOf = new Map(readCards().map(({ id }, i) => [id, i % 2]))
  const sources = collections.flatMap(({ texts }) => texts.slice(0, MAX_TEXTS).map(({ text }) => text))
  const successes = Array.from(
    { length: HOW_MANY.success },
    (_, n): Drawn => ({
      kind: 'success',
      sort: n % 2 === 0 ? 'with its exit code' : 'without',
      moment: 'failure',
      text: success(n, sources.length > 0 ? sources : ['def load():\n    raise ValueError("no file")']),
      vault: n % 4 < 2 ? 0 : 1,
      answer: undefined,
      about: `success ${n}`,
    }),
  )
  return [...drawn([...failures(vaultOf), ...successes, ...prompts(vaultOf, collections)]), ...nearCases()]
}
