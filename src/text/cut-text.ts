/** At most `length` characters, counted as limits on input count them: a sign beyond the basic plane is one, not two. */
export function cutText(text: string, length: number): { text: string; truncated: boolean } {
  if (text.length <= length) return { text, truncated: false }
  let end = 0
  for (let count = 0; count < length && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return { text: text.slice(0, end), truncated: end < text.length }
}

/** The first `length` characters, with an ellipsis where more follow. */
export function beginningOf(text: string, length: number): string {
  const { text: beginning, truncated } = cutText(text, length)
  return truncated ? `${beginning.trimEnd()}…` : beginning
}
