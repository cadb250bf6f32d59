import { randomFrom } from './cards.ts'

const LONGER_WORD = /[A-Za-z]{5,}/g

/** One typing error in every second longer word: a letter missing, doubled, changed or swapped. The same for the same query. */
export function withTypos(query: string): string {
  const random = randomFrom(
    [...query].reduce((sum, sign) => Math.imul(sum, 31) + (sign.codePointAt(0) ?? 0), 0),
  )
  const letter = () => String.fromCharCode(97 + random(26))
  let count = 0
  return query.replace(LONGER_WORD, (word) => {
    if (count++ % 2 === 1) return word
    const at = 1 + random(word.length - 2)
    const [before, here, after] = [word.slice(0, at), word[at] ?? '', word.slice(at + 1)]
    const slips = [
      () => before + after,
      () => before + letter() + here + after,
      () => before + letter() + after,
      () => before + after.slice(0, 1) + here + after.slice(1),
    ]
    return slips[random(slips.length)]?.() ?? word
  })
}
