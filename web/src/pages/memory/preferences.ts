/** A preferences document is its list of lines; a leading dash belongs to the list and not to the item. */
export const preferenceItems = (content: string): string[] => [
  ...new Set(
    content
      .split('\n')
      .map((line) => line.replace(/^\s*[-*]\s+/, '').trim())
      .filter(Boolean),
  ),
]

export type PreviewLine = { item: string; state: 'kept' | 'added' | 'removed' | 'already there' }

type Transfer = { source: string[]; target: string[]; items: string[] | null; replace: boolean }

/** The target after the transfer, line by line, and what leaves it. */
export function previewTransfer({ source, target, items, replace }: Transfer): PreviewLine[] {
  const wanted = items ?? source
  if (replace && items === null)
    return [
      ...source.map(
        (item): PreviewLine => ({ item, state: target.includes(item) ? 'already there' : 'added' }),
      ),
      ...target
        .filter((item) => !source.includes(item))
        .map((item): PreviewLine => ({ item, state: 'removed' })),
    ]
  return [
    ...target.map((item): PreviewLine => ({ item, state: wanted.includes(item) ? 'already there' : 'kept' })),
    ...wanted.filter((item) => !target.includes(item)).map((item): PreviewLine => ({ item, state: 'added' })),
  ]
}
