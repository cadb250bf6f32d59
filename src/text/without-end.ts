/** Without such characters at its end. A pattern of them, anchored there, would look at each of a long row in the middle anew. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
