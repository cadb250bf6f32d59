/** The guide as data, for a reader that shows it in a frame of its own. */
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { notFound } from '../../core/errors.ts'
import { type GuideSection, guide, plainText, withAddress, withPageLinks } from './guide.ts'

const MOST_HITS = 12
const EXCERPT_CHARACTERS = 200

const GuideHit = z
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
      hits: z.array(GuideHit).describe('The best first; none without a question'),
    })
    .meta({ id: 'GuidePages' }),
  run: async (ctx, { q }) => {
    const hits = q ? guide().search(q, MOST_HITS) : []
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
