import { termsOf } from './analyse.ts'
import { isCommonStem, STOP_STEMS } from './terms.ts'

const MAX_READ = 32_000
const MAX_SENTENCES = 400
/** A list item or a paragraph ends at its line; inside a line, sentences end before a capital, a digit or a quote. */
const SENTENCE_END = /(?<=[.!?;:][)"'’”`]?)\s+(?=[\p{Lu}\d"'“`(*-])/u
const RULES =
  /\b(?:must|never|always|only|instead|not|no longer|except|exactly|before|first|because|decided|keep|do not|don't|without|unless|from now on)\b/i

const COMMON = 0.25
const FOR_RULE = 1.5
const MIN_GAIN = 0.5

type Sentence = { at: number; text: string; terms: Set<string>; isRule: boolean }

const sentencesIn = (text: string): Sentence[] =>
  text
    .slice(0, MAX_READ)
    .split('\n')
    .flatMap((line) => line.trim().split(SENTENCE_END))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .slice(0, MAX_SENTENCES)
    .map((sentence, at) => ({
      at,
      text: sentence,
      terms: new Set(termsOf(sentence).filter((term) => !STOP_STEMS.has(term))),
      isRule: RULES.test(sentence),
    }))

function gainOf({ terms, isRule }: Sentence, said: ReadonlySet<string>): number {
  let gain = 0
  for (const term of terms) if (!said.has(term)) gain += isCommonStem(term) ? COMMON : 1
  return gain === 0 ? 0 : gain + (isRule ? FOR_RULE : 0)
}

/**
 * Returns the sentences of a text that add most to what a prompt says, in their order and within the budget of characters;
 * rules come before the rest. A text that fits is returned whole.
 */
export function sentencesThatAdd(prompt: string, text: string, budget: number): string {
  if (text.length <= budget) return text
  const said = new Set(termsOf(prompt.slice(0, MAX_READ)))
  const left = sentencesIn(text)
  const chosen: Sentence[] = []
  let room = budget
  while (left.length > 0) {
    let best = { index: -1, worth: 0, gain: 0 }
    for (const [index, sentence] of left.entries()) {
      if (sentence.text.length + 1 > room) continue
      const gain = gainOf(sentence, said)
      // Long sentences say more, but leave less room for others.
      const worth = gain / Math.sqrt(sentence.text.length)
      if (worth > best.worth) best = { index, worth, gain }
    }
    const [sentence] = best.gain < MIN_GAIN ? [] : left.splice(best.index, 1)
    if (!sentence) break
    chosen.push(sentence)
    room -= sentence.text.length + 1
    for (const term of sentence.terms) said.add(term)
  }
  return chosen
    .sort((a, b) => a.at - b.at)
    .map((sentence) => sentence.text)
    .join(' ')
}
