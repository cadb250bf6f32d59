/** What one page of a list carries at most, of the texts that its authors wrote. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024

const bytesOf = (texts: readonly (string | null)[]): number =>
  texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0)

/** Presents rows whole as long as a page has room for their texts, and the others in a light form. */
export function presentWithin<Row, Item>(
  rows: readonly Row[],
  textsOf: (row: Row) => readonly (string | null)[],
  present: (row: Row, isLight: boolean) => Item,
): Item[] {
  let left = MAX_PAGE_BYTES
  return rows.map((row) => {
    const bytes = bytesOf(textsOf(row))
    if (bytes > left) return present(row, true)
    left -= bytes
    return present(row, false)
  })
}
