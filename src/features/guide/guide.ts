import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { capability, type RawRoute } from '../../core/capability.ts'
import { notFound } from '../../core/errors.ts'
import { type Html, html, PAGE_HEADERS, page } from '../../pages/page.ts'
import { queryTerms, termsOf } from '../../text/analyse.ts'
import { type Bm25, dampingOf, gainOf, rarity } from '../../text/query.ts'

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
export type GuideHit = { section: GuideSection; score: number }

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

/** Matches links out of the guide. Only their text stays, because a server has the guide alone. */
const LINK_OUT_OF_GUIDE = /\[([^[\]]+)\]\(\.\.\/[^)]*\)/g

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

type Indexed = { section: GuideSection; counts: Map<string, number>; length: number }

const SECTIONS: Bm25 = { k1: 1.2, b: 0.75 }
const TITLE_WEIGHT = 3

/** The guide with a BM25 search over a map in memory, enough for a few hundred sections. */
export class Guide {
  readonly pages: ReadonlyMap<string, GuidePage>
  readonly #documents: Indexed[]
  readonly #frequency = new Map<string, number>()
  readonly #averageLength: number

  constructor(pages: GuidePage[]) {
    this.pages = new Map(pages.map((page) => [page.slug, page]))
    this.#documents = pages.flatMap((page) =>
      page.sections.filter((section) => section.text !== '').map(indexSection),
    )
    for (const { counts } of this.#documents) {
      for (const term of counts.keys()) this.#frequency.set(term, (this.#frequency.get(term) ?? 0) + 1)
    }
    const total = this.#documents.reduce((sum, document) => sum + document.length, 0)
    this.#averageLength = total / Math.max(1, this.#documents.length)
  }

  search(question: string, limit: number, weigh: (section: GuideSection) => number = () => 1): GuideHit[] {
    const terms = queryTerms(question).filter((term) => this.#frequency.has(term))
    return this.#documents
      .map((document) => ({
        section: document.section,
        score: this.#score(document, terms) * weigh(document.section),
      }))
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score || a.section.url.localeCompare(b.section.url))
      .slice(0, limit)
  }

  #score(document: Indexed, terms: string[]): number {
    const damping = dampingOf(SECTIONS, document.length, this.#averageLength)
    let score = 0
    for (const term of terms) {
      const count = document.counts.get(term)
      if (!count) continue
      const holding = this.#frequency.get(term) ?? 0
      score += rarity(holding, this.#documents.length) * gainOf(SECTIONS, count, damping)
    }
    return score
  }
}

/** Matches code blocks, where each word counts once: code repeats its names. */
const FENCED = /^[ \t]*(`{3,}|~{3,})[\s\S]*?^[ \t]*\1/gm
const fencedOf = (text: string): string => text.match(FENCED)?.join('\n') ?? ''

function indexSection(section: GuideSection): Indexed {
  const titleTerms = termsOf(`${section.page} ${section.title}`)
  const bodyTerms = [
    ...termsOf(section.text.replace(FENCED, ' ')),
    ...new Set(termsOf(fencedOf(section.text))),
  ]
  const counts = new Map<string, number>()
  for (const term of bodyTerms) counts.set(term, (counts.get(term) ?? 0) + 1)
  for (const term of titleTerms) counts.set(term, (counts.get(term) ?? 0) + TITLE_WEIGHT)
  return { section, counts, length: bodyTerms.length + titleTerms.length }
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
