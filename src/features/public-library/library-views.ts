/** The pages of the public library, from rows to HTML. */
import { DEFAULT_LANGUAGE } from '../../core/language.ts'
import { LICENCE_TEXTS } from '../../core/licences.ts'
import { fromJson } from '../../db/columns.ts'
import { beginningOf } from '../../text/cut-text.ts'
import type { Step } from '../cards/content.ts'
import { presentOrigin } from '../cards/origin.ts'
import { authorOf, presentPublication } from '../cards/publication.ts'
import { type Html, html } from '../pages/html.ts'
import { page } from '../pages/page.ts'
import { safeMarkdown } from '../pages/safe-markdown.ts'
import { type ListedPublicCard, type PublicCard, SHOWN_CHARACTERS } from './public-library.store.ts'

const TYPE_NAMES: Record<PublicCard['card_type'], string> = {
  debug_fix: 'Fix',
  how_to: 'How-to',
  lesson_learned: 'Lesson',
  decision: 'Decision',
  reference: 'Reference',
}

const SITE = 'Knowledge Vault'
const DESCRIPTION_CHARACTERS = 160
const MOST_STEPS = 50
const STEP_CHARACTERS = 2000

const plain = (text: string): string =>
  text
    // A mark of code stands against its word: a blank for it would come before a full stop.
    .replaceAll('`', '')
    .replace(/[*#>|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

type Head = {
  title: string
  description: string
  url?: string
  isArticle?: boolean
  isHidden?: boolean
  licenceUrl?: string | null
}

/** What search engines and link previews read. */
const headOf = ({ title, description, url, isArticle, isHidden, licenceUrl }: Head): Html => html`
<meta name="description" content="${description}">
${isHidden ? html`<meta name="robots" content="noindex">` : ''}
${url ? html`<link rel="canonical" href="${url}">` : ''}
${licenceUrl ? html`<link rel="license" href="${licenceUrl}">` : ''}
<meta property="og:site_name" content="${SITE}">
<meta property="og:type" content="${isArticle ? 'article' : 'website'}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${url ? html`<meta property="og:url" content="${url}">` : ''}
<meta name="twitter:card" content="summary">`

const TOP = html`<header class="top"><a href="/" class="brand">${SITE}</a>
<nav aria-label="Main"><a href="/library">Library</a> <a href="/guide">Guide</a> <a href="/sign-in">Sign in</a></nav></header>`

const day = (time: string) =>
  new Date(time).toLocaleDateString(DEFAULT_LANGUAGE, { dateStyle: 'long', timeZone: 'UTC' })

const part = (title: string, text: string | null): Html | '' =>
  text?.trim()
    ? html`<section><h2>${title}</h2>${safeMarkdown(text)}${
        text.length >= SHOWN_CHARACTERS && html`<p class="soft">The rest is shown in the web app.</p>`
      }</section>`
    : ''

function stepsPart(steps: readonly Step[]): Html | '' {
  if (steps.length === 0) return ''
  const items = steps
    .toSorted((a, b) => a.order - b.order)
    .slice(0, MOST_STEPS)
    .map(
      ({ action, result }) =>
        html`<li>${safeMarkdown(beginningOf(action, STEP_CHARACTERS))}${result && html`<p class="soft">${beginningOf(result, STEP_CHARACTERS)}</p>`}</li>`,
    )
  return html`<section><h2>Steps</h2><ol>${items}</ol></section>`
}

function factsPart(card: PublicCard): Html | '' {
  const environment = Object.entries(fromJson<Record<string, string>>(card.environment))
  const tags = fromJson<string[]>(card.tags)
  if (environment.length + tags.length === 0) return ''
  const rows = environment.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)
  const listed = tags.map((tag) => html`<li>${tag}</li>`)
  return html`<section><h2>Environment and tags</h2>${rows.length > 0 && html`<dl>${rows}</dl>`}${
    listed.length > 0 && html`<ul class="tags" aria-label="Tags">${listed}</ul>`
  }</section>`
}

/** What others may do with the text, whom to credit, and by what it can be checked. */
function givenPart(card: PublicCard): Html | '' {
  const publication = presentPublication(card)
  if (publication === null) return ''
  const { licence, licence_url, content_hash, author, published_at } = publication
  const origin = presentOrigin(card)
  return html`<section><h2>Licence and origin</h2><dl>
<div><dt>Licence</dt><dd>${
    licence ? html`<a rel="license" href="${licence_url}">${licence}</a>` : 'None was given.'
  }</dd></div>
<div><dt>Author</dt><dd>${author}</dd></div>
${
  origin &&
  html`<div><dt>Pulled from</dt><dd><a rel="nofollow ugc noopener noreferrer" href="${origin.url}">${origin.server}</a>${origin.changed_here && ', changed here'}.
Author and origin are as ${card.owner_name} states them.</dd></div>`
}
<div><dt>Version</dt><dd>${card.version}, published <time datetime="${published_at}">${day(published_at)}</time></dd></div>
<div><dt>SHA-256</dt><dd><code>${content_hash}</code></dd></div></dl></section>`
}

/** The actions for the card, as links. */
const footOf = (card: PublicCard): Html =>
  html`<footer class="foot"><a href="/cards/${card.card_id}">Open in the web app</a> <a href="/report/${card.card_id}" rel="nofollow">Report this card</a></footer>`

export function cardView(card: PublicCard, baseUrl: string): string {
  const isDebug = card.card_type === 'debug_fix'
  const title = beginningOf(plain(card.title), 200)
  const published = card.published_at ?? card.created_at
  const body = html`${TOP}<article>
<p class="soft">${TYPE_NAMES[card.card_type]} by ${authorOf(card)}${card.origin !== null && `, passed on by ${card.owner_name}`} · published
<time datetime="${published}">${day(published)}</time></p>
<h1>${card.title}</h1>
${part(isDebug ? 'Symptom' : 'Problem or goal', card.symptom)}
${part('Root cause', card.root_cause)}
${part(isDebug ? 'Fix' : 'Solution', card.fix_summary)}
${stepsPart(fromJson<Step[]>(card.steps))}
${part('Where it applies', card.scope_notes)}
${part('Notes', card.body)}
${factsPart(card)}
${givenPart(card)}
</article>${footOf(card)}`
  const head = headOf({
    title,
    description: beginningOf(plain(card.symptom ?? ''), DESCRIPTION_CHARACTERS),
    url: `${baseUrl}/library/${card.card_id}`,
    isArticle: true,
    isHidden: card.is_current === 0,
    licenceUrl: card.licence && LICENCE_TEXTS[card.licence],
  })
  return page({ title, width: 'reading', head, body })
}

/** The same bytes for a hidden card and for one that does not exist. */
export function noCardView(): string {
  const title = 'A card'
  const body = html`${TOP}<h1>A card in ${SITE}</h1>
<p>There is no public card at this address. If somebody shared it with you, sign in to read it.</p>
<p class="actions"><a class="button" href="/sign-in">Sign in</a> <a class="button" href="/library">Browse the library</a></p>`
  return page({
    title,
    width: 'reading',
    head: headOf({ title: `A card in ${SITE}`, description: '', isHidden: true }),
    body,
  })
}

type Listing = { cards: readonly ListedPublicCard[]; pageNumber: number; hasNext: boolean; baseUrl: string }

const listAddress = (pageNumber: number) => (pageNumber === 1 ? '/library' : `/library?page=${pageNumber}`)

export function listView({ cards, pageNumber, hasNext, baseUrl }: Listing): string {
  const title = pageNumber === 1 ? 'Public Library' : `Public Library, page ${pageNumber}`
  const items = cards.map(
    ({ card_id, title, symptom, tags }) => html`<li><a href="/library/${card_id}">${title}</a>
<p class="soft">${beginningOf(plain(symptom), DESCRIPTION_CHARACTERS)}</p>
${fromJson<string[]>(tags).length > 0 && html`<p class="soft">${fromJson<string[]>(tags).slice(0, 8).join(' · ')}</p>`}</li>`,
  )
  const body = html`${TOP}<h1>Public Library</h1>
<p class="soft">What people and their agents solved, and published after a review. Search is in the web app.</p>
${items.length > 0 ? html`<ul class="cards">${items}</ul>` : html`<p>There is nothing on this page.</p>`}
<nav class="pages" aria-label="Pages">${
    pageNumber > 1 && html`<a rel="prev" href="${listAddress(pageNumber - 1)}">Newer</a>`
  } ${hasNext && html`<a rel="next" href="${listAddress(pageNumber + 1)}">Older</a>`}</nav>`
  const head = headOf({
    title,
    description: 'Fixes, how-tos and decisions of developers and their agents, each checked by a review.',
    url: `${baseUrl}${listAddress(pageNumber)}`,
    isHidden: cards.length === 0,
  })
  return page({ title, width: 'reading', head, body })
}
