import { type Html, html } from './page.ts'

/** Runs in linear time: a full Markdown parser takes seconds for hostile text and blocks the server. */

/** No form may contain its own opening character, so that unclosed forms stay linear. */
const INLINE =
  /`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*|!?\[([^[\]\n]{1,300})\]\((https?:\/\/[^\s()<>"]{1,1000})\)|(https?:\/\/[^\s()<>"'`*[\]]{1,1000})/g

const link = (address: string, text: string): Html =>
  html`<a href="${address}" rel="nofollow ugc noopener noreferrer">${text}</a>`

/** Renders a picture as a link, because the host of the picture would learn who reads the page. */
function inline(text: string): Html {
  const parts: Html[] = []
  let from = 0
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, label, address, bare] = match
    parts.push(html`${text.slice(from, match.index)}`)
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (strong !== undefined) parts.push(html`<strong>${inline(strong)}</strong>`)
    else if (label !== undefined && address !== undefined) parts.push(link(address, label))
    else if (bare !== undefined) parts.push(link(bare, bare))
    from = match.index + whole.length
  }
  parts.push(html`${text.slice(from)}`)
  return html`${parts}`
}

type Kind = 'text' | 'code' | 'heading' | 'bullets' | 'numbers' | 'quote' | 'table'
type Block = { kind: Kind; lines: string[] }

const FENCE = /^ {0,3}(```|~~~)/
const FORMS: readonly [Kind, RegExp][] = [
  ['heading', /^ {0,3}#{1,6} +(.*)$/],
  ['bullets', /^\s{0,8}[-*+] +(.*)$/],
  ['numbers', /^\s{0,8}\d{1,3}[.)] +(.*)$/],
  ['quote', /^ {0,3}> ?(.*)$/],
  ['table', /^ {0,3}(\|.*)$/],
]

function formOf(line: string): { kind: Kind; text: string } {
  for (const [kind, form] of FORMS) {
    const text = form.exec(line)?.[1]
    if (text !== undefined) return { kind, text }
  }
  return { kind: 'text', text: line }
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let open: Block | null = null
  let fence: string | null = null
  const begin = (kind: Kind, lines: string[]): Block => {
    const block = { kind, lines }
    blocks.push(block)
    return block
  }
  for (const line of text.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== null) {
      if (mark === fence) [fence, open] = [null, null]
      else open?.lines.push(line)
      continue
    }
    if (mark !== undefined) {
      fence = mark
      open = begin('code', [])
      continue
    }
    if (line.trim() === '') {
      open = null
      continue
    }
    const { kind, text } = formOf(line)
    if (kind === 'text' && open && open.kind !== 'heading' && open.kind !== 'table')
      open.lines[open.lines.length - 1] += `\n${text.trimStart()}`
    else if (open?.kind === kind && kind !== 'heading') open.lines.push(text)
    else open = begin(kind, [text])
  }
  return blocks
}

const items = (lines: readonly string[]): Html[] => lines.map((line) => html`<li>${inline(line)}</li>`)

/** Wide code scrolls, so it must be reachable by keyboard. */
const preformatted = (lines: readonly string[]): Html => html`<pre tabindex="0">${lines.join('\n')}</pre>`

const RENDER: Record<Kind, (lines: readonly string[]) => Html> = {
  text: (lines) => html`<p>${inline(lines.join('\n'))}</p>`,
  code: preformatted,
  table: preformatted,
  heading: (lines) => html`<h3>${inline(lines.join(' '))}</h3>`,
  bullets: (lines) => html`<ul>${items(lines)}</ul>`,
  numbers: (lines) => html`<ol>${items(lines)}</ol>`,
  quote: (lines) => html`<blockquote><p>${inline(lines.join('\n'))}</p></blockquote>`,
}

export const safeMarkdown = (text: string): Html =>
  html`${blocksOf(text).map(({ kind, lines }) => RENDER[kind](lines))}`
