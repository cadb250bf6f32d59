const withSingleBlanks = (text: string) => text.trim().replace(/\s+/g, ' ')

/** Whether somebody has typed this word to say yes. A page shows several blanks as one, so they count as one. */
export const isTyped = (word: string, text: string): boolean =>
  withSingleBlanks(text) === withSingleBlanks(word)
