import { CONTROLS, INVISIBLE, PAIRS_OR_PRIVATE } from '../../../text/invisible.ts'
import { CYRILLIC_TWINS } from '../readable.ts'
import { type Finding, farTrigger, type Trigger, trigger } from '../rule.ts'
import { findControls, findOverwritten } from './controls.ts'
import { findInvisible } from './invisible.ts'

const HIDING_STYLE =
  /style\s{0,3}=\s{0,3}["'][^"'>]{0,300}?(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}[01](?:px|pt|em|rem|%)?\s{0,3}[;"']|opacity\s{0,3}:\s{0,3}0(?![.\d])|(?<=[;"' ])color\s{0,3}:\s{0,3}(?:#fff(?:fff)?\b|white|transparent)|(?:left|top|text-indent)\s{0,3}:\s{0,3}-\d{3,6})/iy

/** Text that a page does not show but that an agent reads. */
export const HIDDEN_TRIGGERS: readonly Trigger[] = [
  trigger('hidden_text', 'warn', 'style=¦style =', HIDING_STYLE),
  trigger('hidden_text', 'warn', '<font', /<font[^>]{0,60}color\s{0,2}=\s{0,2}["']?(?:#f{3,6}|white)/iy),
  trigger(
    'hidden_text',
    'warn',
    '<span hidden¦<div hidden¦<p hidden¦<section hidden',
    /<(?:span|div|p|section) hidden\b/iy,
  ),
  farTrigger('hidden_text', 'warn', '<!--', {
    head: '<!--',
    gap: '[^>]{0,600}?',
    part: '\\b(?:assistant|agents?|model|llm|the user|ai|instructions?|approve[ds]?)\\b',
    within: '<!--'.length + 600,
    stop: />/g,
  }),
  trigger('hidden_text', 'note', '<!--', /<!--(?:\s{1,20}[^\s>]{1,60}){5}/iy),
  trigger('hidden_text', 'warn', '[//]:¦[comment]:', /\[(?:\/\/|comment)\]: ?(?:#|<>) ?["'(]/iy),
  trigger(
    'hidden_text',
    'warn',
    'data:text/¦data:application/¦data:image/svg',
    /data:(?:text\/(?:html|javascript|xml)|application\/(?:x-)?(?:javascript|xhtml|xml|octet-stream)|image\/svg\+xml)[;,]/iy,
  ),
]

/** Most texts in other alphabets have none of these, so a simple pattern looks first. */
const MAYBE_INVISIBLE = new RegExp(`[${INVISIBLE}${PAIRS_OR_PRIVATE}]`)
const CONTROL = new RegExp(`[${CONTROLS}]`)

const MIXED_WORD = new RegExp(`[A-Za-z][${CYRILLIC_TWINS}]|[${CYRILLIC_TWINS}][A-Za-z]`)

const SPACED_LETTERS = /(?<![A-Za-z])(?:[A-Za-z] {1,3}){9}[A-Za-z](?![A-Za-z])/g
const SINGLE_LETTERS = /[A-Za-z] [A-Za-z] [A-Za-z] /
/** The writer needs no more. All of them warn, so none hides another severity. */
const MOST_SPACED = 20

/**
 * Finds what no keyword shows: invisible and control characters, letters of two alphabets in one word, words in single
 * letters.
 */
export function findHiddenCharacters(text: string, isPlain: boolean): Finding[] {
  const found: Finding[] = []
  if (!isPlain) {
    if (MAYBE_INVISIBLE.test(text)) found.push(...findInvisible(text))
    if (CONTROL.test(text)) found.push(...findControls(text))
    const mixed = MIXED_WORD.exec(text)
    if (mixed) found.push({ rule: 'hidden_text', severity: 'warn', start: mixed.index, end: mixed.index + 2 })
  }
  if (text.includes('\r')) found.push(...findOverwritten(text))
  if (SINGLE_LETTERS.test(text))
    for (const match of [...text.matchAll(SPACED_LETTERS)].slice(0, MOST_SPACED))
      found.push({
        rule: 'hidden_text',
        severity: 'warn',
        start: match.index,
        end: match.index + match[0].length,
      })
  return found
}
