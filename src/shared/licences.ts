/** SPDX identifiers of the licences for published cards. */
export const LICENCES = ['CC0-1.0', 'CC-BY-4.0', 'CC-BY-SA-4.0', 'MIT'] as const
export type Licence = (typeof LICENCES)[number]

export const DEFAULT_LICENCE: Licence = 'CC-BY-4.0'

export const LICENCE_TEXTS: Record<Licence, string> = {
  'CC0-1.0': 'https://creativecommons.org/publicdomain/zero/1.0/',
  'CC-BY-4.0': 'https://creativecommons.org/licenses/by/4.0/',
  'CC-BY-SA-4.0': 'https://creativecommons.org/licenses/by-sa/4.0/',
  MIT: 'https://opensource.org/license/mit',
}

/** Whether a copy must keep the licence; only CC0 leaves the choice. */
export const mustStay = (licence: Licence): boolean => licence !== 'CC0-1.0'
