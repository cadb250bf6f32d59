import { canonicalLanguage } from '#server/shared/language.ts'

/** The tag in the form that `Intl` accepts; `undefined` if `Intl` would throw. For every text from outside. */
export const validLanguage = (tag: string | undefined | null): string | undefined =>
  tag ? canonicalLanguage(tag) : undefined

/** Linux names a language `en_US.UTF-8` or `en-US@posix`: the part before the dot or the at sign is the language. */
const withoutSystemSuffix = (tag: string) => tag.replace(/[.@].*$/, '').replaceAll('_', '-')

export const browserLanguage = (tag: string | undefined): string =>
  validLanguage(tag) ?? validLanguage(tag && withoutSystemSuffix(tag)) ?? 'en'

type Languages = { readonly language: string; readonly languages: readonly string[] }

/**
 * Some libraries hand `navigator.language` to `Intl` while they load. A browser under `LANG=C.UTF-8` says
 * `en-US@posix` there, and `Intl` throws. So the page corrects what the browser says before it loads anything else.
 */
export function correctLanguages(navigator: Languages): void {
  const { language, languages } = navigator
  const corrected = browserLanguage(language)
  if (corrected === language && languages.every((tag) => validLanguage(tag))) return
  const list = Object.freeze([...new Set(languages.map(browserLanguage))])
  Object.defineProperty(navigator, 'language', { value: corrected, configurable: true })
  Object.defineProperty(navigator, 'languages', { value: list, configurable: true })
}
