/** Makes a card from one exchange, by rules alone: the person's message is the problem, the agent's report the solution. */
import { saysFailure } from '../../text/failure.ts'
import { type Block, blocksOf, plainText, sentencesOf, shorten } from './text-parts.ts'

export type Exchange = { message: string | null; report: string | null }

export type CardDraft = {
  card_type: 'debug_fix' | 'how_to'
  title: string
  symptom: string
  root_cause: string | null
  fix_summary: string
  steps: { order: number; action: string; result: string }[]
  evidences: { kind: string; content: string }[]
}

/** Only this much of each side is read: the point rarely comes later. */
const READ_CHARACTERS = 20_000
const LONGEST_TITLE = 100
const LONGEST_TEXT = 2000
const LONGEST_EVIDENCE = 4000
const MOST_STEPS = 20
const MOST_SENTENCES = 3
/** A message shorter than this ("fix it", "go on") says nothing that a search would find. */
const TELLING_MESSAGE = 40

const CAUSE_HEADING = /\b(?:cause|reason|why|diagnosis)\b/i
const FIX_HEADING = /\b(?:fix|fixed|solution|resolution|changes?|changed|what i did|done|steps)\b/i
const PROBLEM_HEADING = /\b(?:problem|symptom|error|issue|observed)\b/i

const CAUSE_WORDS =
  /\b(?:because|caused by|cause was|cause is|due to|root cause|turned out|(?:problem|issue|reason|culprit) (?:was|is)|was missing|were missing)\b/i
const FIX_WORDS =
  /\b(?:fix|fixes|fixed|solved|solves|resolved|changed|added|replaced|removed|reverted|set|upgraded|updated|downgraded|pinned|renamed|moved|released|increased|raised|reduced|switched|installed|restarted|use|uses|now)\b/i
/** How people speak of a failure. The words of programs are in `text/failure.ts`. */
const TROUBLE_WORDS =
  /\b(?:\w+(?:Error|Exception)|exception|failing|crash|crashes|crashed|broken|cannot|can't|denied|refused|time[sd]? out|timeout|exit code|stack trace|wrong|bug)\b/i

const saysTrouble = (text: string): boolean => saysFailure(text) || TROUBLE_WORDS.test(text)

/** Phrases that people use before they come to the point. */
const POLITE =
  /^(?:(?:hey|hi|hello|ok|okay|please|thanks|so|well|now|and|but)\b[,.! ]*|(?:can|could|would|will) you (?:please )?|i (?:need|want|would like) (?:you )?to |help me (?:to )?|fix (?:this|it)[:,. ]+)/i

function withoutPoliteness(text: string): string {
  let rest = text.trim()
  for (let round = 0; round < 4 && POLITE.test(rest); round++) rest = rest.replace(POLITE, '').trim()
  return rest === '' ? text.trim() : rest
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const under = (blocks: readonly Block[], heading: RegExp) =>
  blocks.filter((block) => block.heading !== '' && heading.test(block.heading))

const asText = (blocks: readonly Block[]): string =>
  blocks
    .map(({ kind, text }) =>
      kind === 'code' ? `\`\`\`\n${text}\n\`\`\`` : kind === 'item' ? `- ${text}` : text,
    )
    .reduce((all, block, index) => {
      const isList = block.startsWith('- ') && blocks[index - 1]?.kind === 'item'
      return all === '' ? block : `${all}${isList ? '\n' : '\n\n'}${block}`
    }, '')

/** The first blocks, as many whole ones as fit. */
function firstBlocks(blocks: readonly Block[]): string {
  const kept: Block[] = []
  let length = 0
  for (const block of blocks) {
    length += block.text.length
    if (kept.length > 0 && length > LONGEST_TEXT) break
    kept.push(block)
  }
  return shorten(asText(kept), LONGEST_TEXT)
}

const sentencesIn = (blocks: readonly Block[]): string[] =>
  blocks.filter(({ kind }) => kind !== 'code').flatMap(({ text }) => sentencesOf(text))

const saying = (sentences: readonly string[], words: RegExp): string[] =>
  sentences.filter((sentence) => words.test(sentence)).slice(0, MOST_SENTENCES)

function causeIn(blocks: readonly Block[]): string | null {
  const named = under(blocks, CAUSE_HEADING)
  if (named.length > 0) return firstBlocks(named)
  return saying(sentencesIn(blocks), CAUSE_WORDS).join(' ') || null
}

function fixIn(blocks: readonly Block[], cause: string | null): string {
  const named = under(blocks, FIX_HEADING)
  // A list of steps becomes the steps, so the summary is the text around it.
  const around = named.filter(({ kind }) => kind !== 'item')
  if (named.length > 0) return firstBlocks(around.length > 0 ? around : named)
  const other = sentencesIn(blocks).filter((sentence) => !cause?.includes(sentence))
  const told = saying(other, FIX_WORDS).join(' ')
  const rest = blocks.filter((block) => !cause?.includes(block.text))
  return told.length >= TELLING_MESSAGE ? told : firstBlocks(rest.length > 0 ? rest : blocks)
}

const errorLine = (texts: readonly string[]): string | undefined =>
  texts
    .flatMap((text) => text.split('\n'))
    .map((line) => plainText(line))
    .find((line) => line.length >= 12 && line.length <= LONGEST_TITLE && saysTrouble(line))

/** The sentence that names what goes wrong, else a line of the printed error, else what was asked or done. */
function titleOf(spoken: readonly Block[], reported: readonly Block[]): string {
  const said = sentencesIn(spoken).map((sentence) => plainText(withoutPoliteness(sentence)))
  const code = spoken.filter(({ kind }) => kind === 'code').map(({ text }) => text)
  const told = said.find((sentence) => sentence.length >= TELLING_MESSAGE / 2) ?? sentencesIn(reported)[0]
  const title = errorLine(said) ?? errorLine(code) ?? (said[0] === told ? told : undefined)
  const line = title ?? errorLine(reported.map(({ text }) => text)) ?? told ?? said[0] ?? ''
  return capitalised(shorten(plainText(line).replace(/\.$/, ''), LONGEST_TITLE))
}

function symptomOf(message: string, spoken: readonly Block[], reported: readonly Block[]): string {
  const named = [...under(spoken, PROBLEM_HEADING), ...under(reported, PROBLEM_HEADING)]
  const said = shorten(withoutPoliteness(message), LONGEST_TEXT)
  if (said.length >= TELLING_MESSAGE) return said
  const more = named.length > 0 ? firstBlocks(named) : (sentencesIn(reported).find(saysTrouble) ?? '')
  return [said, more].filter(Boolean).join('\n\n') || firstBlocks(reported)
}

const stepsIn = (blocks: readonly Block[]): CardDraft['steps'] => {
  const items = under(blocks, FIX_HEADING).filter(({ kind }) => kind === 'item')
  if (items.length < 2) return []
  return items
    .slice(0, MOST_STEPS)
    .map(({ text }, index) => ({ order: index + 1, action: shorten(text, LONGEST_TEXT), result: '' }))
}

const evidencesIn = (blocks: readonly Block[]): CardDraft['evidences'] => {
  const shown = blocks.find(({ kind, text }) => kind === 'code' && saysTrouble(text))
  return shown ? [{ kind: 'error', content: shown.text.slice(0, LONGEST_EVIDENCE) }] : []
}

export function draftByRules({ message, report }: Exchange): CardDraft {
  const said = (message ?? '').slice(0, READ_CHARACTERS)
  const spoken = blocksOf(said)
  const reported = blocksOf((report ?? '').slice(0, READ_CHARACTERS))
  const all = [...spoken, ...reported]
  const root_cause = causeIn(reported)
  return {
    card_type: all.some(({ text }) => saysTrouble(text)) ? 'debug_fix' : 'how_to',
    title: titleOf(spoken, reported),
    symptom: symptomOf(said, spoken, reported),
    root_cause,
    fix_summary: reported.length > 0 ? fixIn(reported, root_cause) : '',
    steps: stepsIn(reported),
    evidences: evidencesIn(all),
  }
}
