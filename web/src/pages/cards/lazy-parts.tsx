import { type ComponentType, useEffect } from 'react'
import type { Card } from '../../api/types.ts'
import { lazyPart, loadable } from '../../lib/loadable.tsx'
import { toastError } from '../../ui/toast.tsx'

export type DialogProps = { card: Card; onClose: () => void }

/** Few readers open these dialogs, so they load on demand. */
function lazyDialog<Props extends { onClose: () => void }>(load: () => Promise<ComponentType<Props>>) {
  const dialog = loadable(load)
  return function LazyDialog(props: Props) {
    const { value: Shown, error } = dialog.useLoaded()
    // biome-ignore lint/correctness/useExhaustiveDependencies: each failure is told once
    useEffect(() => {
      if (!error) return
      toastError(error)
      props.onClose()
    }, [error])
    return Shown && <Shown {...props} />
  }
}

export const CitesDialog = lazyDialog(async () => (await import('./card-dialogs.tsx')).CitesDialog)
export const LinkDialog = lazyDialog(async () => (await import('./card-dialogs.tsx')).LinkDialog)
export const MergeDialog = lazyDialog(async () => (await import('./card-dialogs.tsx')).MergeDialog)
export const ReportDialog = lazyDialog(async () => (await import('../moderation/report.tsx')).ReportDialog)
export const ShareDialog = lazyDialog(async () => (await import('./share-dialog.tsx')).ShareDialog)

/** Few cards have kept text, so this part loads on demand. */
export const KeptText = lazyPart(async () => (await import('./use-draft.tsx')).KeptText)
