import { type BenchCard, randomFrom } from '../search/cards.ts'
import { type Collection, titleOf } from '../search/collections.ts'
import {
  type Card,
  linesOf,
  readCards,
  readQueries,
  readUnanswerable,
  type WrittenQuery,
} from '../symptom-fix/data.ts'
import { failing, ownFailure } from './failures.ts'
import { NEAR_KINDS, type NearVault, nearCards, nearCases } from './near-failures.ts'
import { executionOf, FAMILIES } from './seen-before.ts'
import { success } from './successes.ts'

const DRAWN_KINDS = ['failure with', 'failure without', 'success', 'prompt with', 'prompt without'] as const
type DrawnKind = (typeof DRAWN_KINDS)[number]
export const KINDS = [...DRAWN_KINDS, ...NEAR_KINDS]
export type Kind = (typeof KINDS)[number]

/** The last four are those of `near-failures.ts`. */
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

export type Named = { name: string; card: BenchCard }

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

const MOST_TEXTS = 2000

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
    texts.slice(0, MOST_TEXTS).map(
      (text): Named => ({
        name: `${name} ${text._id}`,
        card: {
          title: titleOf(text),
          symptom: text.text,
          root_cause: '',
          fix_summary: '',
          tags: [],
          environment: {},
        },
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
    const loaded = new Set(texts.slice(0, MOST_TEXTS).map(({ _id }) => _id))
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
  const sources = collections.flatMap(({ texts }) => texts.slice(0, MOST_TEXTS).map(({ text }) => text))
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
