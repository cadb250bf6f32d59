import { expect, test } from 'vitest'
import { fold, foldAny } from './fold.ts'

const isItself = (text: string) => text.normalize('NFKC').normalize('NFD').normalize('NFC') === text
const charactersIn = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => String.fromCharCode(first + i))

test('kana, Chinese characters and syllables of Hangul are folded already, each and beside each other', () => {
  const all = [
    ...charactersIn(0x3041, 0x3096),
    ...charactersIn(0x30a1, 0x30fa),
    ...charactersIn(0x4e00, 0x9fff),
    ...charactersIn(0xac00, 0xd7a3),
  ]
  expect(all.filter((character) => !isItself(character) || fold(character) !== character)).toEqual([])
  const beside = all.map((character, i) => character + all[(i * 7919) % all.length])
  expect(beside.filter((pair) => !isItself(pair) || fold(pair) !== pair)).toEqual([])
})

test('other forms of them are made one', () => {
  expect(fold('ｶﾞ')).toBe('ガ')
  expect(fold('\u1112\u1161\u11ab')).toBe('한')
  expect(fold('\uf900')).toBe('\u8c48')
  expect(fold('한Á')).toBe('한a')
})

test('a word of Latin or Cyrillic letters is folded as the normal forms fold it', () => {
  const letters = [
    ...charactersIn(0x20, 0x7e),
    ...charactersIn(0xc0, 0x24f),
    ...charactersIn(0x400, 0x482),
    ...charactersIn(0x48a, 0x4ff),
  ]
  const words = letters.flatMap((letter, i) => [
    `É${letter}`,
    `${letters[(i * 211) % letters.length]}${letter}й${letters[(i * 37) % letters.length]}`,
  ])
  expect(words.filter((word) => fold(word) !== foldAny(word))).toEqual([])
})
