import type { RawRoute } from '../../core/http/raw-route.ts'
import { STYLESHEET, STYLESHEET_PATH } from './page.ts'

export const pagesStylesheet: RawRoute = {
  name: 'pages.stylesheet',
  summary: 'Stylesheet of the pages that the server renders',
  route: `GET ${STYLESHEET_PATH}`,
  compress: true,
  scopes: 'public',
  handle: async (_services, _request, reply) =>
    reply
      .header('content-type', 'text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .send(STYLESHEET),
}
