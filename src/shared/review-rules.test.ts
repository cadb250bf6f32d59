import { expect, test, vi } from 'vitest'
import { overlap, shinglesOf, wordsOf } from '../text/similar.ts'
import { isPlaceholderText, REVIEW_RULES, type ReviewedCard, reviewCard } from './card-checks.ts'

const GOOD: ReviewedCard = {
  card_type: 'debug_fix',
  title: 'Pool exhausted under load',
  symptom: 'Requests hang for thirty seconds and fail with a timeout while the pool is empty',
  fix_summary: 'Release every client in a finally block and raise the pool size so that bursts fit',
  root_cause: 'A thrown error skipped the release',
  steps: [],
  evidence_count: 0,
  secrets: [],
}

test('a good card passes with the full score and no reasons', () => {
  expect(reviewCard(GOOD)).toEqual({ passed: true, score: 100, reasons: [] })
})

/** For each rule a card that breaks this rule and no other. */
const FAILING: Record<string, Partial<ReviewedCard>> = {
  title_length: { title: 'a b c d' },
  title_words: { title: 'Poolexhaustion underload' },
  symptom_length: { symptom: 'a b c d e f g h i' },
  symptom_words: { symptom: 'timeout timeout timeout timeout timeout timeout' },
  fix_length: { fix_summary: 'a b c d e f g h i' },
  fix_words: { fix_summary: 'release release release release release release' },
  fix_is_not_symptom: { fix_summary: GOOD.symptom },
  no_placeholder: { symptom: `TODO: ${GOOD.symptom}` },
  debug_grounds: { root_cause: ' ' },
  no_secrets: { secrets: [{ field: 'body', kind: 'aws_access_key' }] },
}

test('every rule has a card that breaks it', () => {
  expect(Object.keys(FAILING)).toEqual(REVIEW_RULES.map((rule) => rule.id))
  expect(REVIEW_RULES.reduce((sum, rule) => sum + rule.weight, 0)).toBe(100)
})

test.each(REVIEW_RULES.map((rule) => [rule.id, rule] as const))('%s alone', (id, rule) => {
  const verdict = reviewCard({ ...GOOD, ...FAILING[id] })
  expect(verdict.reasons.map((reason) => reason.rule)).toEqual([id])
  expect(verdict.reasons[0]?.message).toMatch(/\w{3,}/)
  expect(verdict.score).toBe(100 - rule.weight)
  expect(verdict.passed).toBe(!rule.hard)
})

test.each([
  ['symptom_words', 'fix_words'],
  ['symptom_words', 'debug_grounds'],
  ['fix_words', 'debug_grounds'],
])('two weaknesses of substance refuse: %s and %s', (a, b) => {
  expect(reviewCard({ ...GOOD, ...FAILING[a], ...FAILING[b] }).passed).toBe(false)
})

test.each([
  [{ root_cause: null, steps: [{ order: 1, action: 'x' }] }],
  [{ root_cause: null, evidence_count: 1 }],
  [{ root_cause: null, card_type: 'how_to' }],
])('grounds are a root cause, a step or evidence, and only for debug_fix (%#)', (change) => {
  expect(reviewCard({ ...GOOD, ...change }).reasons).toEqual([])
})

test('a secret is named by kind and field, and never echoed; in evidence the way out is told', () => {
  const secrets = [{ field: 'evidences.0', kind: 'private_key' }]
  const [reason] = reviewCard({ ...GOOD, secrets }).reasons
  expect(reason?.message).toContain('evidences.0 (private_key)')
  expect(reason?.message).toContain('record a new card')
})

test('a fix that differs from the symptom in case and signs only is a copy', () => {
  const verdict = reviewCard({ ...GOOD, fix_summary: `${GOOD.symptom.toUpperCase()}!!!` })
  expect(verdict.reasons.map((reason) => reason.rule)).toEqual(['fix_is_not_symptom'])
})

test('cards in languages without spaces are read by words too', () => {
  const verdict = reviewCard({
    ...GOOD,
    title: 'データベースの接続プールが枯渇する問題',
    symptom:
      '負荷が高い時にリクエストが三十秒間停止し、その後タイムアウトエラーで失敗する。プールは空のままである。',
    fix_summary:
      '例外が発生した場合でも必ず接続を解放するように修正し、プールの最大サイズを増やすことで解決できる。',
  })
  expect(verdict.reasons).toEqual([])
})

test.each([
  'lorem ipsum dolor sit amet',
  'TODO',
  'tbd - later',
  'Insert your text here',
  'test test test',
  'foo bar baz',
])('%s is placeholder text', (text) => {
  expect(isPlaceholderText(text)).toBe(true)
})

test.each([
  'Set <API_KEY> in the header and call the endpoint again',
  'The placeholder attribute of the input is not read aloud',
  'Remove every TODO comment before the release branch is cut',
  'The test of the importer fails on Windows',
])('%s is not placeholder text', (text) => {
  expect(isPlaceholderText(text)).toBe(false)
})

test('words and shingles', () => {
  expect(wordsOf('Don’t split node_modules, v2.1!')).toEqual(['don’t', 'split', 'node_modules', 'v2.1'])
  expect([...shinglesOf('one two three four')]).toEqual(['one two three', 'two three four'])
  expect([...shinglesOf('one two')]).toEqual(['one two'])
  expect(shinglesOf('…').size).toBe(0)
  expect(overlap(new Set(['a', 'b', 'c']), new Set(['b', 'c', 'd']))).toBe(0.5)
  expect(overlap(new Set(), new Set())).toBe(0)
})

test('a text of signs that Unicode writes out is read in proportion to what was typed, few of them whole', () => {
  const sign = '\ufdfa'
  expect(wordsOf(`${sign} and 3㎏ of \u3306`)).toEqual(
    wordsOf(`${sign.normalize('NFKC')} and 3kg of \u30a6\u30a9\u30f3`),
  )
  const cut = vi.spyOn(Intl.Segmenter.prototype, 'segment')
  try {
    reviewCard({ ...GOOD, symptom: sign.repeat(2000), fix_summary: `${sign.repeat(2000)} other` })
    const read = cut.mock.calls.map(([text]) => text.length)
    expect(Math.max(...read)).toBeLessThan(6000)
    // The title twice, the others three times each.
    expect(read).toHaveLength(8)
  } finally {
    cut.mockRestore()
  }
})
