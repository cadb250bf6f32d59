import { DEFAULT_LANGUAGE } from '#server/shared/language.ts'

const TAGS = [
  'en',
  'en-US',
  'en-GB',
  'ar',
  'cs',
  'da',
  'de',
  'de-CH',
  'el',
  'es',
  'fi',
  'fr',
  'he',
  'hi',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'nb',
  'nl',
  'pl',
  'pt-BR',
  'pt-PT',
  'ro',
  'sv',
  'tr',
  'uk',
  'vi',
  'zh-Hans',
  'zh-Hant',
]

/** A language as its own speakers call it. */
const nameOf = (tag: string): string =>
  tag === DEFAULT_LANGUAGE
    ? 'As the browser; mails in English'
    : (new Intl.DisplayNames([tag, 'en'], { type: 'language' }).of(tag) ?? tag)

/** The languages to choose from, including the present one if it was set elsewhere. */
export const languagesWith = (present: string): { tag: string; name: string }[] =>
  [...new Set([...TAGS, present])].map((tag) => ({ tag, name: nameOf(tag) }))
