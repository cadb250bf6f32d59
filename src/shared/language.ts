export const DEFAULT_LANGUAGE = 'en'

/** Returns the canonical tag (`DE-at` is `de-AT`), or undefined for an invalid one. */
export function canonicalLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/** Latin digits in every language, as in the English words beside a number. */
export const DIGITS = { numberingSystem: 'latn' } as const

export type Localised = { text: string; language: string }

/** Falls back to English for a language that the runtime has no data for. */
const orEnglish = (language: string) => [language, DEFAULT_LANGUAGE]

/** Returns a local time with its time zone, because a mail is read anywhere. */
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
