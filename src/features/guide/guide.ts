import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { capability, type RawRoute } from '../../core/capability.ts'
import { notFound } from '../../core/errors.ts'
import { type Html, html, PAGE_HEADERS, page } from '../../pages/page.ts'
import { queryTerms, termsOf } from '../../text/analyse.ts'
import { type Bm25, dampingOf, gainOf, rarity } from '../../text/query.ts'
import { type QuestionWord, questionWords } from './question-words.ts'

export type GuideSection = {
  page: string
  anchor: string
  /** Level of the heading, 1 to 3. */
  level: number
  title: string
  url: string
  text: string
}
export type GuidePage = { slug: string; title: string; markdown: string; sections: GuideSection[] }
export type GuideHit = {
  section: GuideSection
  score: number
  /** Share of what the question says that the section or its page says too, 0 to 1. */
  coverage: number
}

const DIRECTORY = new URL('../../../docs/guide/', import.meta.url)

export function loadGuide(): Guide {
  const files = readdirSync(DIRECTORY).filter((name) => /^[a-z0-9-]+\.md$/.test(name))
  return new Guide(
    files.sort().map((name) => parsePage(name.slice(0, -3), readFileSync(new URL(name, DIRECTORY), 'utf8'))),
  )
}

let loaded: Guide | undefined

export function guide(): Guide {
  loaded ??= loadGuide()
  return loaded
}

/** Matches notes for editors after the language of a fence. */
const FENCE_NOTE = /^(\s*`{3,}\w+) .*$/

/** Matches links and pictures out of the guide. Only their text stays, because a server has the guide alone. */
const LINK_OUT_OF_GUIDE = /!?\[([^[\]]+)\]\(\.\.\/[^)]*\)/g

export function parsePage(slug: string, source: string): GuidePage {
  const markdown = source.replace(LINK_OUT_OF_GUIDE, '$1')
  const anchor = anchors()
  const sections: GuideSection[] = []
  let title = slug
  let current: GuideSection | null = null
  let fence: string | null = null
  for (const line of markdown.split(/\r?\n/)) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark) fence = fence === null ? mark : mark.startsWith(fence) ? null : fence
    const heading = fence === null ? /^(#{1,3})\s+(.+?)\s*#*$/.exec(line) : null
    if (!heading) {
      if (current) current.text += `${line.replace(FENCE_NOTE, '$1')}\n`
      continue
    }
    const [, level = '', words = ''] = heading
    const plain = plainText(words)
    const id = anchor(plain)
    if (level === '#' && sections.length === 0) title = plain
    current = {
      page: title,
      anchor: id,
      level: level.length,
      title: plain,
      url: `/guide/${slug}#${id}`,
      text: '',
    }
    sections.push(current)
  }
  for (const section of sections) section.text = section.text.trim()
  return { slug, title, markdown, sections }
}

export function anchors(): (heading: string) => string {
  const seen = new Map<string, number>()
  return (heading) => {
    const base =
      heading
        .toLowerCase()
        // Must match the anchors of the repository host: "The team's page" is the-teams-page.
        .replace(/['’]/g, '')
        .replace(/[^\p{L}\p{N}]+/gu, '-')
        .replace(/^-|-$/g, '') || 'section'
    const count = (seen.get(base) ?? 0) + 1
    seen.set(base, count)
    return count === 1 ? base : `${base}-${count}`
  }
}

/** Replaces `{base_url}`, and localhost in commands, by the address of the vault. */
export const withAddress = (text: string, baseUrl: string): string =>
  text.replace(/\{base_url\}|(?:http:\/\/)?localhost:8080/g, () => baseUrl)

export const withPageLinks = (markdown: string): string =>
  markdown.replace(/\]\((?:\.\/)?([a-z0-9-]{1,60})\.md(?=[)#])/g, '](/guide/$1')

export function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

type Terms = { counts: Map<string, number>; length: number }
type Indexed = Terms & { section: GuideSection; title: readonly string[]; page: Terms }

const SECTIONS: Bm25 = { k1: 1.2, b: 0.75 }
const TITLE_WEIGHT = 3
/** A word of the guide that means the asked one counts less than the asked one itself. */
const SYNONYM_WEIGHT = 0.75
/** For a section whose whole title is asked for. */
const TITLE_BONUS = 0.3
/** A section with two words for the same says more about it. */
const SECOND_WEIGHT = 0.4
/** A page that is about the question lifts its sections. */
const PAGE_WEIGHT = 0.5

/** The guide with a BM25 search over a map in memory, enough for a few hundred sections. */
export class Guide {
  readonly pages: ReadonlyMap<string, GuidePage>
  readonly #documents: Indexed[]
  readonly #frequency = new Map<string, number>()
  readonly #averageLength: number
  readonly #averagePage: number

  constructor(pages: GuidePage[]) {
    this.pages = new Map(pages.map((page) => [page.slug, page]))
    const pagesIndexed: Terms[] = []
    this.#documents = pages.flatMap((page) => {
      const sections = page.sections.filter((section) => section.text !== '').map(indexSection)
      const whole = sumOf(sections)
      pagesIndexed.push(whole)
      return sections.map((section) => ({ ...section, page: whole }))
    })
    for (const { counts } of this.#documents) {
      for (const term of counts.keys()) this.#frequency.set(term, (this.#frequency.get(term) ?? 0) + 1)
    }
    this.#averageLength = averageLength(this.#documents)
    this.#averagePage = averageLength(pagesIndexed)
  }

  search(question: string, limit: number, weigh: (section: GuideSection) => number = () => 1): GuideHit[] {
    const asked = questionWords(question)
    return this.#documents
      .map((document) => {
        const { score, coverage } = this.#score(document, asked)
        const fit = (0.3 + 0.7 * coverage) * (1 + TITLE_BONUS * shareOf(document.title, asked))
        return { section: document.section, score: score * fit * weigh(document.section), coverage }
      })
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score || a.section.url.localeCompare(b.section.url))
      .slice(0, limit)
  }

  /** Returns how much of a question a text answers: the rarities of the asked words that it has. */
  fit(question: string, text: string): number {
    const has = new Set(termsOf(plainText(text)))
    return questionWords(question).reduce((sum, { own, others }) => {
      const met = [
        ...own.filter((term) => has.has(term)).map((term) => this.#rarity(term)),
        ...others.filter((term) => has.has(term)).map((term) => SYNONYM_WEIGHT * this.#rarity(term)),
      ]
      return sum + Math.max(0, ...met)
    }, 0)
  }

  #rarity(term: string): number {
    return rarity(this.#frequency.get(term) ?? 0, this.#documents.length)
  }

  #score(document: Indexed, asked: readonly QuestionWord[]): { score: number; coverage: number } {
    const dampings = {
      section: dampingOf(SECTIONS, document.length, this.#averageLength),
      page: dampingOf(SECTIONS, document.page.length, this.#averagePage),
    }
    let [score, met, information] = [0, 0, 0]
    for (const { own, others } of asked) {
      let [best, isMet] = [0, false]
      const weights = [
        ...own.map((term) => [term, 1] as const),
        ...others.map((term) => [term, SYNONYM_WEIGHT] as const),
      ]
      for (const [term, weight] of weights) {
        const [inSection, inPage] = [document.counts.get(term) ?? 0, document.page.counts.get(term) ?? 0]
        const gain = inSection > 0 ? gainOf(SECTIONS, inSection, dampings.section) : 0
        const ofPage = inPage > 0 ? gainOf(SECTIONS, inPage, dampings.page) : 0
        const one = weight * this.#rarity(term) * (gain + PAGE_WEIGHT * ofPage)
        best = Math.max(best, one) + SECOND_WEIGHT * Math.min(best, one)
        isMet ||= inSection > 0
      }
      const weight =
        Math.max(...weights.map(([term]) => (this.#frequency.has(term) ? this.#rarity(term) : 0)), 0) ||
        this.#rarity('')
      information += weight
      if (isMet) met += weight
      score += best
    }
    return { score, coverage: information === 0 ? 0 : met / information }
  }
}

const shareOf = (title: readonly string[], asked: readonly QuestionWord[]): number =>
  title.filter((term) => asked.some(({ own, others }) => own.includes(term) || others.includes(term)))
    .length / Math.max(1, title.length)

const averageLength = (all: readonly Terms[]): number =>
  all.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all.length)

function sumOf(all: readonly Terms[]): Terms {
  const counts = new Map<string, number>()
  for (const one of all)
    for (const [term, count] of one.counts) counts.set(term, (counts.get(term) ?? 0) + count)
  return { counts, length: all.reduce((sum, { length }) => sum + length, 0) }
}

/** Matches code blocks, where each word counts once: code repeats its names. */
const FENCED = /^[ \t]*(`{3,}|~{3,})[\s\S]*?^[ \t]*\1/gm
const fencedOf = (text: string): string => text.match(FENCED)?.join('\n') ?? ''

function indexSection(section: GuideSection): Omit<Indexed, 'page'> {
  const titleTerms = termsOf(`${section.page} ${section.title}`)
  const bodyTerms = [
    ...termsOf(section.text.replace(FENCED, ' ')),
    ...new Set(termsOf(fencedOf(section.text))),
  ]
  const counts = new Map<string, number>()
  for (const term of bodyTerms) counts.set(term, (counts.get(term) ?? 0) + 1)
  for (const term of titleTerms) counts.set(term, (counts.get(term) ?? 0) + TITLE_WEIGHT)
  return {
    section,
    title: section.level === 1 ? [] : [...new Set(queryTerms(section.title))],
    counts,
    length: bodyTerms.length + titleTerms.length,
  }
}

const MAX_HITS = 12
const EXCERPT_CHARACTERS = 200

const GuideHitResponse = z
  .object({
    page: z.string().describe('The title of its page'),
    title: z.string(),
    url: z.string().describe('/guide/<page>#<section>'),
    excerpt: z.string(),
  })
  .meta({ id: 'GuideHit' })

function excerptOf(text: string, baseUrl: string): string {
  const words = plainText(withAddress(text, baseUrl))
  return words.length <= EXCERPT_CHARACTERS ? words : `${words.slice(0, EXCERPT_CHARACTERS).trimEnd()}…`
}

export const listGuide = capability({
  name: 'guide.pages',
  summary: 'The pages of the guide, and the sections that match a question',
  scopes: 'public',
  rest: ['GET /api/v1/guide'],
  input: z.object({ q: z.string().trim().max(1000).optional().describe('Words to look for') }),
  output: z
    .object({
      pages: z.array(z.object({ slug: z.string(), title: z.string() })),
      hits: z.array(GuideHitResponse).describe('The best first; none without a question'),
    })
    .meta({ id: 'GuidePages' }),
  run: async (ctx, { q }) => {
    const hits = q ? guide().search(q, MAX_HITS) : []
    return {
      pages: [...guide().pages.values()].map(({ slug, title }) => ({ slug, title })),
      hits: hits.map(({ section: { page, title, url, text } }) => ({
        page,
        title,
        url,
        excerpt: excerptOf(text, ctx.config.baseUrl),
      })),
    }
  },
})

const present = ({ anchor, level, title, text }: GuideSection, baseUrl: string) => ({
  anchor,
  level,
  title,
  markdown: withPageLinks(withAddress(text, baseUrl)),
})

export const readGuidePage = capability({
  name: 'guide.one_page',
  summary: 'One page of the guide, by sections, with the address of this server filled in',
  scopes: 'public',
  rest: ['GET /api/v1/guide/{page}'],
  errors: [404],
  input: z.object({ page: z.string().min(1).max(100) }),
  output: z
    .object({
      slug: z.string(),
      title: z.string(),
      sections: z.array(
        z.object({
          anchor: z.string(),
          level: z.int().describe('1 to 3'),
          title: z.string(),
          markdown: z.string(),
        }),
      ),
    })
    .meta({ id: 'GuidePage' }),
  run: async (ctx, { page }) => {
    const found = guide().pages.get(page)
    if (!found) throw notFound('Guide page')
    return {
      slug: found.slug,
      title: found.title,
      sections: found.sections.map((section) => present(section, ctx.config.baseUrl)),
    }
  },
})

const rendered = new Map<string, Html>()

/** Renders a page. The large renderer is loaded with the first page. */
async function contentOf(found: GuidePage, baseUrl: string): Promise<Html> {
  const key = `${baseUrl} ${found.slug}`
  const known = rendered.get(key)
  if (known) return known
  const { renderGuide } = await import('./render.ts')
  const content = renderGuide({ ...found, markdown: withAddress(found.markdown, baseUrl) })
  rendered.set(key, content)
  return content
}

const showGuide: RawRoute = {
  name: 'guide.index',
  summary: 'All guide pages',
  route: 'GET /guide',
  compress: true,
  scopes: 'public',
  inApp: true,
  handle: async (_services, _request, reply) => {
    const items = [...guide().pages.values()].map(
      (one) => html`<li><a href="/guide/${one.slug}">${one.title}</a></li>`,
    )
    const body = html`<p class="soft"><a href="/">Knowledge Vault</a></p><h1>Guide</h1><ul>${items}</ul>`
    return reply.headers(PAGE_HEADERS).send(page({ title: 'Guide', width: 'reading', body }))
  },
}

const showGuidePage: RawRoute = {
  name: 'guide.page',
  summary: 'One guide page',
  route: 'GET /guide/{page}',
  compress: true,
  scopes: 'public',
  inApp: true,
  handle: async (services, request, reply) => {
    const { page: slug } = request.params as { page: string }
    const found = guide().pages.get(slug)
    if (!found) {
      const body = html`<h1>There is no such guide page</h1><p><a href="/guide">All guide pages</a></p>`
      return reply
        .code(404)
        .headers(PAGE_HEADERS)
        .send(page({ title: 'Not found', body }))
    }
    const content = await contentOf(found, services.config.baseUrl)
    const body = html`<p class="soft"><a href="/guide">Guide</a></p>${content}`
    return reply.headers(PAGE_HEADERS).send(page({ title: found.title, width: 'reading', body }))
  },
}

export const guidePages: readonly RawRoute[] = [showGuide, showGuidePage]
