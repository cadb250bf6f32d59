const WIDTH = 100

/** A list item on lines of about 100 characters. What stands between backticks stays on one line. */
export function wrapItem(item: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of item.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    const longer = line === '' ? word : `${line} ${word}`
    // A line that begins with a sign or a number and a dot would become a list of its own.
    if (longer.length > WIDTH && line !== '' && !/^(?:[-+*>#|=]|\d+[.)]$)/.test(word)) {
      lines.push(line)
      line = `  ${word}`
    } else line = longer
  }
  return [...lines, line].join('\n')
}
