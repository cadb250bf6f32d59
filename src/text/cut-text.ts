/** At most `length` UTF-16 units, never half a character. */
export function cutText(text: string, length: number): { text: string; truncated: boolean } {
  if (text.length <= length) return { text, truncated: false }
  const last = text.charCodeAt(length - 1)
  const inPair = last >= 0xd800 && last <= 0xdbff
  return { text: text.slice(0, inPair ? length - 1 : length), truncated: true }
}
