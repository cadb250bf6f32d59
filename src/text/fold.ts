const ONLY_ASCII = /^[\0-\x7f]*$/

/** Lower-case, compatibility forms made one, accents of alphabetic scripts dropped. */
export function fold(text: string): string {
  if (ONLY_ASCII.test(text)) return text.toLowerCase()
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .normalize('NFD')
      .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g, '')
      // Some compatibility forms fall apart into signs and blanks, such as a bracketed number or a lone vowel mark.
      .replace(/["'*():%\s\p{Cc}]/gu, '')
      .normalize('NFC')
  )
}

/** Text without its case, in every script: `STRASSE` is `straße`, `ΟΔΟΣ` is `οδος`, `İ` is `i`. */
export function foldCase(text: string): string {
  const lower = text.normalize('NFC').toUpperCase().toLowerCase()
  return lower.replaceAll('ς', 'σ').replaceAll('i̇', 'i')
}
