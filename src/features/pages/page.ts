/**
 * The frame of the few pages that the server renders itself: the guide, the public library, and the development
 * provider's.
 */
import { readFileSync } from 'node:fs'
import { type Html, html } from './html.ts'

export const STYLESHEET_PATH = '/pages.css'
export const STYLESHEET = readFileSync(new URL('./pages.css', import.meta.url), 'utf8')

/** No script, nothing from other hosts, no framing; forms go to this server only. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

export type PageOptions = {
  title: string
  width?: 'narrow' | 'reading'
  /** More for the head: what search engines and link previews read. */
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
