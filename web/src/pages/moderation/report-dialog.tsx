import type { Card } from '../../api/types.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { ReportFields, useReport, WHO_READS } from './report-fields.tsx'

export function ReportDialog({ card, onClose }: { card: Card; onClose: () => void }) {
  const { send, ready, ...fields } = useReport(card.card_id, () => {
    toast('Thank you. A moderator will look at it.')
    onClose()
  })
  return (
    <FormDialog
      title="Report this card"
      description={WHO_READS}
      action="Report"
      ready={ready}
      busy={send.isPending}
      error={send.error}
      onSubmit={() => send.mutate()}
      onClose={onClose}
    >
      <ReportFields {...fields} />
    </FormDialog>
  )
}
