/** A text as one line without the marks of Markdown. Code in it stays, and so does an asterisk that is none of them. */
export const plainLine = (text: string): string =>
  text
    .replace(/```\w*|`+|\*\*|^[ \t]*(?:#{1,6}|[-*>])[ \t]+/gm, '')
    .replace(/(?<![\w/.*])\*(?=[^\s*])([^*\n]{0,200}[^*\s])\*(?![\w*])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
