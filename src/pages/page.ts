import { readFileSync } from 'node:fs'
import type { RawRoute } from '../core/capability.ts'
import { DEFAULT_LANGUAGE, type Localised } from '../shared/language.ts'
import { escapeHtml } from '../text/unicode.ts'

/** HTML that is safe by construction: every value in the template is escaped unless it is Html itself. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | false | null | undefined | readonly Html[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + print(parts[index - 1]) + string))
}

function print(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map((one) => one.text).join('')
  return escapeHtml(String(part))
}

/** Marks text in another language than the page, for screen readers. */
export const localised = ({ text, language }: Localised): Html =>
  language === DEFAULT_LANGUAGE ? html`${text}` : html`<span lang="${language}">${text}</span>`

/** Renders the frame of server-side pages: guide, public library, and development provider. */

const STYLESHEET_PATH = '/pages.css'
const STYLESHEET = readFileSync(new URL('./pages.css', import.meta.url), 'utf8')

/** No script, nothing from other hosts, no framing; forms go to this server only. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

type PageOptions = {
  title: string
  width?: 'narrow' | 'reading'
  head?: Html
  body: Html
}

export function page({ title, width = 'narrow', head, body }: PageOptions): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Knowledge Vault</title>
${head}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
</head>
<body>
<main class="${width}">
${body}
</main>
</body>
</html>
`.text
}

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
