type Row = { draft_id: string }

/** The list, and in it what it has no more and somebody still writes in, where it stood: the fields keep the focus. */
export function withKept<Draft extends Row>(
  listed: readonly Draft[],
  shown: readonly Draft[],
  kept: ReadonlySet<string>,
): Draft[] {
  const rows = [...listed]
  for (const [at, draft] of shown.entries())
    if (kept.has(draft.draft_id) && !rows.some((row) => row.draft_id === draft.draft_id))
      rows.splice(at, 0, draft)
  return rows
}
