import { filterHash } from '../text/term-hash.ts'

/** The filter of documents that everybody may find; what makes one public is for those to say who put documents in. */
export const PUBLIC_FILTER = filterHash('public and reviewed')

export const isPublic = ({ filters }: { filters: readonly number[] }): boolean =>
  filters.includes(PUBLIC_FILTER)
