import snowball from 'snowball-stemmers'

const stemmer = snowball.newStemmer('english')
const STOP = new Set(
  'a an and are as at be by for from has have i in is it its my of on or our so that the this to was we when while with you'.split(
    ' ',
  ),
)

/** Words as a textbook cuts them: runs of letters and digits in lower case. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Words of a query or a text without stop words, as stems. */
export const stemsOf = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => !STOP.has(word))
    .map((word) => stemmer.stem(word))
