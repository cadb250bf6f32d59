declare module 'snowball-stemmers' {
  type Stemmer = { stem(word: string): string }
  const snowball: { newStemmer(language: 'english' | 'russian'): Stemmer }
  export default snowball
}
