/** PostgreSQL cannot store NUL and UTF-8 has no lone surrogates, so neither enters on any engine. */
export const storable = (text: string): string =>
  text.isWellFormed() && !text.includes('\0') ? text : text.replaceAll('\0', '').toWellFormed()
