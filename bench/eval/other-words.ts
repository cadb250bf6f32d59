import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { wordsOf } from '../../src/features/recall/mismatch.ts'
import { percent } from '../lib/collections.ts'
import type { Table } from '../lib/measure.ts'
import { call, engineOf, fillCards, openVault, register, settleIndex } from '../lib/vault.ts'
import { described } from '../recall/cases.ts'
import { type Card, readCards, textOf } from '../symptom-fix/data.ts'

/** A prompt in other words than its card; without an answer no card of symptom-fix fits. */
type Prompt = { text: string; answer?: string }

const readPrompts = (): Prompt[] =>
  readFileSync(join(import.meta.dirname, '../recall/prompts-in-other-words.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const termsOf = (text: string): Set<string> => new Set(wordsOf(text).map(({ term }) => term))

/** A word that fewer cards have tells cards apart. */
const TELLING_SHARE = 0.05

/** Returns whether a prompt and its card share a word that tells cards apart. */
function tellingIn(cards: readonly Card[]): (prompt: Prompt) => boolean {
  const words = new Map(cards.map((card) => [card.id, termsOf(textOf(card))]))
  const holding = new Map<string, number>()
  for (const terms of words.values())
    for (const term of terms) holding.set(term, (holding.get(term) ?? 0) + 1)
  return ({ text, answer = '' }) =>
    [...termsOf(text)].some(
      (term) => words.get(answer)?.has(term) && (holding.get(term) ?? 0) < TELLING_SHARE * cards.length,
    )
}

type Outcome = Prompt & { kind: string; half: number; delivered: string | undefined; rank: number }

const NONE = 'nothing fits'
const DEPTH = 10
const gainOf = ({ rank }: Outcome) => (rank < 0 ? 0 : 1 / Math.log2(rank + 2))

function rowOf(prompts: string, some: readonly Outcome[]) {
  const right = some.filter(({ answer, delivered }) => answer !== undefined && delivered === answer)
  const wrong = some.filter(({ answer, delivered }) => delivered !== undefined && delivered !== answer)
  const ndcg = some.reduce((sum, one) => sum + gainOf(one), 0) / Math.max(1, some.length)
  return {
    prompts,
    asked: some.length,
    'recall: right': percent(right.length, some.length),
    'recall: wrong': percent(wrong.length, some.length),
    'search: nDCG@10': prompts === NONE ? '' : ndcg.toFixed(3).replace(/^0/, ''),
  }
}

/** Prompts in other words than the card has: what recall delivers, and where search ranks the card. */
export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: {
      engine: { type: 'string', default: 'sqlite' },
      quick: { type: 'boolean', default: false },
    },
  })
  const cards = readCards()
  const vault = await openVault(engineOf(values.engine))
  try {
    const { headers, ...owner } = await register(vault.url, 'evaluator')
    const ids = await fillCards(
      vault.url,
      { headers, ...owner },
      cards.map((card) => described(card).card),
    )
    await settleIndex(vault)
    const nameOf = new Map(ids.map((id, n) => [id, cards[n]?.id ?? '']))
    const sharesTelling = tellingIn(cards)
    const post = (path: string, body: object) => call(vault.url, 'POST', `/api/v1/${path}`, body, headers)
    const outcomes: Outcome[] = []
    for (const [n, prompt] of readPrompts().entries()) {
      if (values.quick && n % 20 !== 0) continue
      const { text, answer } = prompt
      const { items } = await post('recall', { moment: 'prompt', text })
      const { results } =
        answer === undefined ? { results: [] } : await post('search', { query: text, limit: DEPTH })
      const found: (string | undefined)[] = results.map(({ card_id }: { card_id: string }) =>
        nameOf.get(card_id),
      )
      const kind = answer === undefined ? NONE : sharesTelling(prompt) ? 'a telling word' : 'no telling word'
      outcomes.push({
        ...prompt,
        kind,
        half: n % 2,
        delivered: items[0] && nameOf.get(items[0].id),
        rank: found.slice(0, DEPTH).indexOf(answer),
      })
    }
    return ['tuning', 'reporting'].map((half, which) => ({
      title: `${half} half: prompts by what they share with their card`,
      rows: ['no telling word', 'a telling word', NONE].map((kind) =>
        rowOf(
          kind,
          outcomes.filter((one) => one.half === which && one.kind === kind),
        ),
      ),
    }))
  } finally {
    await vault.stop()
  }
}
