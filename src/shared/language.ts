/**
 * The language of a person is a BCP 47 tag. The words of the service are English; dates, times, numbers and prices are
 * written as the language has them.
 */
export const DEFAULT_LANGUAGE = 'en'

/** The canonical tag (`DE-at` is `de-AT`), or undefined if it is not a language tag. */
export function canonicalLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/** The same digits in every language: versions, steps and limits are in the English words beside a number. */
export const DIGITS = { numberingSystem: 'latn' } as const

/** Something written in a person's language, among words that may be in another. */
export type Localised = { text: string; language: string }

/** A language that the runtime has no data for reads as English, wherever the server runs. */
const orEnglish = (language: string) => [language, DEFAULT_LANGUAGE]

/** The time zone is named, because a mail is read anywhere. */
export const localTime = (language: string, at: string | Date): Localised => ({
  text: new Intl.DateTimeFormat(orEnglish(language), {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
    ...DIGITS,
  }).format(new Date(at)),
  language,
})

export const localDay = (language: string, at: string | Date): Localised => ({
  text: new Intl.DateTimeFormat(orEnglish(language), {
    dateStyle: 'medium',
    timeZone: 'UTC',
    ...DIGITS,
  }).format(new Date(at)),
  language,
})

export const localNumber = (language: string, value: number): Localised => ({
  text: new Intl.NumberFormat(orEnglish(language), DIGITS).format(value),
  language,
})

export const localMoney = (language: string, cents: number, currency: string): Localised => ({
  text: new Intl.NumberFormat(orEnglish(language), {
    ...DIGITS,
    style: 'currency',
    currency: currency.toUpperCase(),
  }).format(cents / 100),
  language,
})
