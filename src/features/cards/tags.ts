/** How tags, and the names in an environment, are compared: without case, and in one Unicode form. */
export const normalName = (name: string): string => name.normalize('NFKC').trim().toLowerCase()

export const sameTag = (a: string, b: string): boolean => normalName(a) === normalName(b)

/** The first spelling of each tag stays. */
export function distinctTags(tags: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const tag of tags) {
    const compared = normalName(tag)
    if (!seen.has(compared)) seen.set(compared, tag)
  }
  return [...seen.values()]
}
