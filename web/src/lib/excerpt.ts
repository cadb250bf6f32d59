/** One plain line of a Markdown text for a list: no fences, no back-ticks, no line breaks. */
export const excerpt = (markdown: string) =>
  markdown
    .slice(0, 600)
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    .replace(/^[ \t]*[#>]+[ \t]*/gm, '')
    .replace(/`+|\*\*/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
