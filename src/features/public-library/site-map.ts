/** For search engines: which addresses there are, and which to leave alone. */
import { escapeHtml } from '../../text/escape-html.ts'
import type { SiteMapRow } from './public-library.store.ts'

/** The format allows 50,000; fewer keep an answer small. */
export const ADDRESSES_A_MAP = 5000
/** Older cards are found by their links. */
export const MOST_MAPS = 200

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const FORMAT = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

export const siteMap = (rows: readonly SiteMapRow[], baseUrl: string): string => {
  const urls = rows.map(
    ({ card_id, updated_at }) =>
      `<url><loc>${escapeHtml(`${baseUrl}/library/${card_id}`)}</loc><lastmod>${updated_at}</lastmod></url>\n`,
  )
  return `${XML}<urlset ${FORMAT}>\n${urls.join('')}</urlset>\n`
}

/** One map lists itself; more of them are listed by number. */
export const siteMapIndex = (count: number, baseUrl: string): string => {
  const maps = Array.from(
    { length: Math.min(count, MOST_MAPS) },
    (_, index) => `<sitemap><loc>${escapeHtml(`${baseUrl}/sitemaps/${index + 1}`)}</loc></sitemap>\n`,
  )
  return `${XML}<sitemapindex ${FORMAT}>\n${maps.join('')}</sitemapindex>\n`
}

export const robots = (publicPages: boolean, baseUrl: string): string =>
  publicPages
    ? `User-agent: *\nAllow: /$\nAllow: /library\nDisallow: /library/snapshot\nAllow: /guide\nAllow: /pages.css\nAllow: /sitemap\nDisallow: /\n\nSitemap: ${baseUrl}/sitemap.xml\n`
    : 'User-agent: *\nDisallow: /\n'
