import { describe, expect, test } from 'vitest'
import {
  besideBest,
  type Cover,
  cardInformationOf,
  confidenceOf,
  FLOOR,
  featuresOf,
  lacksTelling,
  logitByCovers,
  logitOf,
  neighbourLogit,
  weighQuery,
} from './query.ts'

const HAS: Cover = { credit: 1, isProminent: false, isCorrected: false, isByParts: false }
const LACKS: Cover = { ...HAS, credit: 0 }
const WORDS = [0.9, 0.8, 0.7].map((information) => ({ information, isUnknown: false }))
const AROUND = { cards: 1000, length: 80 }

const sureOf = (covers: readonly Cover[], words = WORDS, around = AROUND) =>
  confidenceOf(logitOf(featuresOf(weighQuery(words), covers, around)))

describe('the confidence in one hit', () => {
  test('a card with all words of a query is a hit, one with a third of them is not', () => {
    expect(sureOf([HAS, HAS, HAS])).toBeGreaterThan(0.9)
    expect(sureOf([LACKS, LACKS, HAS])).toBeLessThan(FLOOR)
  })

  test('it grows with every word that is covered, and more so in the title', () => {
    const two = sureOf([HAS, HAS, LACKS])
    expect(two).toBeGreaterThan(sureOf([HAS, LACKS, LACKS]))
    expect(two).toBeLessThan(sureOf([HAS, HAS, HAS]))
    expect(sureOf([{ ...HAS, isProminent: true }, HAS, LACKS])).toBeGreaterThan(two)
  })

  test('it falls with words that no card has, with the length of the card and the size of the vault', () => {
    const two = sureOf([HAS, HAS, LACKS])
    const unknown = WORDS.map((word, i) => ({ ...word, isUnknown: i === 2 }))
    expect(sureOf([HAS, HAS, LACKS], unknown)).toBeLessThan(two)
    expect(sureOf([HAS, HAS, LACKS], WORDS, { ...AROUND, length: 800 })).toBeLessThan(two)
    expect(sureOf([HAS, HAS, LACKS], WORDS, { ...AROUND, cards: 100_000 })).toBeLessThan(two)
  })

  test('common English words have less information, however rare they are in the vault', () => {
    expect(cardInformationOf('properti', 3, 1000)).toBeLessThan(cardInformationOf('kubernet', 3, 1000))
  })

  test('a word that every card has says next to nothing, however few cards there are', () => {
    expect(cardInformationOf('kubernet', 10, 10)).toBeLessThan(0.05)
    expect(cardInformationOf('kubernet', 0, 10)).toBe(1)
    // Read while the first card is being counted.
    expect(cardInformationOf('kubernet', 1, 0)).toBe(cardInformationOf('kubernet', 1, 1))
    expect(cardInformationOf('e1234', 0, 10)).toBeLessThan(cardInformationOf('kubernet', 0, 10))
  })
})

test('one word of a query that is mostly unknown is not a hit', () => {
  const short = { cards: 50, length: 30 }
  const words = [0.8, 1, 1, 0.6].map((information) => ({ information, isUnknown: information === 1 }))
  const sure = (has: readonly Cover[]) => confidenceOf(logitByCovers(weighQuery(words), has, short))
  expect(sure([HAS, LACKS, LACKS, LACKS])).toBeLessThan(FLOOR)
  expect(sure([HAS, LACKS, LACKS, HAS])).toBeGreaterThan(FLOOR)
  const one = weighQuery([{ information: 0.9, isUnknown: false }])
  expect(logitByCovers(one, [HAS], short)).toBe(logitOf(featuresOf(one, [HAS], short)))
})

test('a telling word that the card lacks makes a hit unsure in a vault of one trade, and in a large vault less so', () => {
  const words = weighQuery([0.8, 0.8, 0.5].map((information) => ({ information, isUnknown: false })))
  const sure = (covers: readonly Cover[], cards = 300) =>
    confidenceOf(neighbourLogit(words, covers, { cards, length: 60 }))
  expect(sure([HAS, HAS, HAS])).toBe(1)
  expect(sure([LACKS, HAS, LACKS])).toBeLessThan(FLOOR)
  expect(sure([LACKS, HAS, LACKS], 5000)).toBeGreaterThan(sure([LACKS, HAS, LACKS]))
  const common = weighQuery([0.8, 0.3].map((information) => ({ information, isUnknown: false })))
  expect(lacksTelling(common.information, [HAS, LACKS])).toBe(false)
  expect(lacksTelling(common.information, [LACKS, HAS])).toBe(true)
})

describe('the confidence beside the best of the first hits', () => {
  test('an unsure hit moves towards a sure one and stays unsure', () => {
    expect(confidenceOf(besideBest(-1, 5))).toBeGreaterThan(FLOOR)
    expect(confidenceOf(besideBest(-1, 5))).toBeLessThan(0.6)
    expect(confidenceOf(besideBest(-6, 5))).toBeLessThan(FLOOR)
  })

  test('a hit that is sure by itself stays as it is, and none overtakes another', () => {
    expect(besideBest(1, 5)).toBe(1)
    expect(besideBest(0.3, 0.5)).toBeLessThan(0.5)
    expect(besideBest(-1, 5)).toBeLessThan(besideBest(-0.5, 5))
  })

  test('where nothing is sure, nothing moves', () => {
    expect(besideBest(-2, -0.1)).toBe(-2)
    expect(besideBest(-2, Number.NEGATIVE_INFINITY)).toBe(-2)
    expect(confidenceOf(besideBest(Number.NEGATIVE_INFINITY, 5)), 'a hit without known words').toBe(0)
  })
})
