import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { builtInSentences } from './vocabulary.ts'

export type BenchCard = {
  title: string
  symptom: string
  fix_summary: string
  root_cause: string
  tags: string[]
  environment: Record<string, string>
}

/** The same numbers every time, so that measurements can be compared. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function textsIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return textsIn(path)
    if (!/^corpus.*\.jsonl$|\.(md|txt)$/.test(name)) return []
    const text = readFileSync(path, 'utf8')
    if (!name.endsWith('.jsonl')) return [text]
    return text
      .trim()
      .split('\n')
      .map((line) => {
        const { title = '', text = '' } = JSON.parse(line)
        return `${title}. ${text}`
      })
  })
}

/** Sentences to remix: from the texts of a folder, or made from a vocabulary of our own. */
export function sentencesFrom(folder: string | undefined): string[] {
  if (folder === undefined) return builtInSentences()
  const sentences = textsIn(folder)
    .flatMap((text) => text.split(/(?<=[.!?。])\s+|\n\s*\n/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 25 && sentence.length < 400)
  if (sentences.length < 100) throw new Error(`${folder} has too little text to make cards of`)
  return sentences
}

const LANGUAGES = ['python', 'typescript', 'go', 'rust', 'java', 'kotlin', 'swift', 'ruby', 'php', 'sql']

/** Cards of about a thousand characters, each a new mixture of sentences. */
export function* remixedCards(sentences: readonly string[], count: number, seed = 42): Generator<BenchCard> {
  const random = randomFrom(seed)
  const some = (many: number) =>
    Array.from({ length: many }, () => sentences[random(sentences.length)]).join(' ')
  for (let i = 0; i < count; i++)
    yield {
      title: some(1).slice(0, 100),
      symptom: some(2),
      fix_summary: some(3),
      root_cause: some(1),
      tags: [`topic-${random(200)}`, LANGUAGES[random(LANGUAGES.length)] as string],
      environment: { [LANGUAGES[random(LANGUAGES.length)] as string]: `${random(20)}.${random(10)}` },
    }
}

/** Queries as people type them: a few words of one sentence, in order. */
export function remixedQueries(sentences: readonly string[], count: number, seed = 7): string[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, () => {
    const words = (sentences[random(sentences.length)] as string).split(/\s+/)
    const from = random(Math.max(1, words.length - 12))
    return words.slice(from, from + 8 + random(5)).join(' ')
  })
}
