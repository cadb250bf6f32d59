import { mergeItems } from '#server/shared/memory.ts'

export type PreviewLine = { item: string; state: 'kept' | 'added' | 'removed' | 'already there' }

type Transfer = {
  source: readonly string[]
  target: readonly string[]
  items: readonly string[] | null
  replace: boolean
}

/** The target after the transfer, line by line, by the rule of the server; and the lines that are removed. */
export function previewTransfer({ source, target, items, replace }: Transfer): PreviewLine[] {
  const wanted = items ?? source
  const replacing = replace && items === null
  const after = replacing ? source : mergeItems(target, wanted).items
  const had = new Set(target)
  const copied = new Set(wanted)
  const lines = after.map((item): PreviewLine => {
    if (!had.has(item)) return { item, state: 'added' }
    return { item, state: copied.has(item) ? 'already there' : 'kept' }
  })
  const left = new Set(after)
  const removed = target.filter((item) => !left.has(item))
  return [...lines, ...removed.map((item): PreviewLine => ({ item, state: 'removed' }))]
}
