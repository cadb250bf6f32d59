/** PostgreSQL cannot store NUL and UTF-8 has no lone surrogates, so neither enters on any engine. */
const UNSTORABLE = /\0|[\uD800-\uDFFF]/

export const storable = (text: string): string =>
  UNSTORABLE.test(text) ? text.replaceAll('\0', '').toWellFormed() : text
