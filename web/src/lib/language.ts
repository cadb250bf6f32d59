import { canonicalLanguage } from '#server/shared/language.ts'

/** Returns the tag in the form that `Intl` accepts, or undefined. */
export const validLanguage = (tag: string | undefined | null): string | undefined =>
  tag ? canonicalLanguage(tag) : undefined

const withoutSystemSuffix = (tag: string) => tag.replace(/[.@].*$/, '').replaceAll('_', '-')

export const browserLanguage = (tag: string | undefined): string =>
  validLanguage(tag) ?? validLanguage(tag && withoutSystemSuffix(tag)) ?? 'en'

type Languages = { readonly language: string; readonly languages: readonly string[] }

/**
 * Corrects `navigator.language` before any library loads: under `LANG=C.UTF-8` browsers report
 * `en-US@posix`, and `Intl` throws for that.
 */
export function correctLanguages(navigator: Languages): void {
  const { language, languages } = navigator
  const corrected = browserLanguage(language)
  if (corrected === language && languages.every((tag) => validLanguage(tag))) return
  const list = Object.freeze([...new Set(languages.map(browserLanguage))])
  Object.defineProperty(navigator, 'language', { value: corrected, configurable: true })
  Object.defineProperty(navigator, 'languages', { value: list, configurable: true })
}
