/** The guide as pages: /guide lists them, /guide/<page> shows one. The support chat links here. */
import type { RawRoute } from '../../core/http/raw-route.ts'
import { type Html, html } from '../pages/html.ts'
import { PAGE_HEADERS, page } from '../pages/page.ts'
import { type GuidePage, guide, withAddress } from './guide.ts'

const rendered = new Map<string, Html>()

/** The renderer is large, so it is loaded when the first page is read and not when the program starts. */
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
