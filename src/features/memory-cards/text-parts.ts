/** Taking a report apart: blocks, labels, sentences. Every function reads its text once. */

import { cutText } from '../../text/cut-text.ts'

export type Block = { kind: 'text' | 'code' | 'item'; heading: string; text: string }

const FENCE = /^ {0,3}(```|~~~)/
const HEADING = /^ {0,3}#{1,6}\s+(.+)$/
const ITEM = /^ {0,3}(?:\d{1,2}[.)]|[-*])\s+(.+)$/
/** `Root cause:` or `**Fix:**` at the beginning of a line is a heading too. */
const LABEL = /^(?:[-*] )?\**([A-Za-z][A-Za-z ]{2,24}):\**\s*(.*)$/
const LABELS =
  /^(?:root cause|cause|reason|why|fix|solution|resolution|problem|symptom|error|issue|changes?)$/i

/** The blocks of a Markdown text in their order, each with the heading or label that it stands under. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let heading = ''
  let open: Block | null = null
  let fence: string | null = null
  const begin = (kind: Block['kind'], first: string): Block => {
    const block = { kind, heading, text: first }
    blocks.push(block)
    return block
  }
  for (const line of text.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== null) {
      if (mark === fence) [fence, open] = [null, null]
      else if (open) open.text += open.text === '' ? line : `\n${line}`
      continue
    }
    if (mark) {
      fence = mark
      open = begin('code', '')
      continue
    }
    const title = HEADING.exec(line)?.[1]
    const [, label = '', rest = ''] = LABEL.exec(line) ?? []
    if (title !== undefined || LABELS.test(label)) {
      heading = plainText(title ?? label)
      open = title === undefined && rest.trim() !== '' ? begin('text', rest) : null
      continue
    }
    const item = ITEM.exec(line)?.[1]
    if (item !== undefined) open = begin('item', item)
    else if (line.trim() === '') open = null
    else if (open === null) open = begin('text', line)
    else open.text += `\n${line}`
  }
  return blocks.filter((block) => block.text.trim() !== '')
}

/** Neither part may contain its own opening bracket, so that thousands of unclosed brackets stay linear. */
const LINK = /!?\[([^[\]\n]{0,500})\]\([^()\n]{0,1000}\)/g

/** With the flag `m`, `^` would stand behind every line end of Unicode, and each of them would be read to the last. */
const SYNTAX = /[`*]|(?<![^\n])[^\S\n]*[#>]+\s*/g

/** The text without Markdown syntax, on one line. */
export const plainText = (text: string): string =>
  text.replace(LINK, '$1').replace(SYNTAX, '').replace(/\s+/g, ' ').trim()

export const sentencesOf = (text: string): string[] =>
  text
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?]) (?=["'`(\p{Lu}])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')

/** At most `most` characters, cut between words. */
export function shorten(text: string, most: number): string {
  if (!cutText(text, most).truncated) return text
  const { text: cut } = cutText(text, most - 1)
  const space = cut.lastIndexOf(' ')
  return `${cut.slice(0, space > most / 2 ? space : undefined).trimEnd()}…`
}
