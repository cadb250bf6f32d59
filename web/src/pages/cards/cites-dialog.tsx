import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'

import type { Card } from '../../api/types.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { cardQuery } from './card-queries.ts'
import { rowId } from './draft.ts'
import { RemoveRow, RowsField, rowsOf } from './fields.tsx'

type Row = { id: string; text: string }

const rowFor = (text: string): Row => ({ id: rowId(), text })
const isFilled = ({ text }: Row) => text.trim() !== ''

/** Cites are written by hand, or read from the text whenever the card is saved. */
export function CitesDialog({ card, onClose }: { card: Card; onClose: () => void }) {
  const [rows, setRows] = useState(() => (card.cites.length > 0 ? card.cites : ['']).map(rowFor))
  const { set, remove, add } = rowsOf(rows, setRows)
  const write = useMutation({
    mutationFn: (sent: Row[] | null) =>
      call('PUT /api/v1/cards/{card_id}/cites', {
        card_id: card.card_id,
        cites: sent?.map(({ text }) => text) ?? null,
      }),
    onSuccess: ({ cites, are_written }) => {
      queryClient.setQueryData(cardQuery(card.card_id).queryKey, (before) => before && { ...before, cites })
      void queryClient.invalidateQueries({ queryKey: ['card', card.card_id] })
      toast(
        are_written
          ? 'Cites saved. They stay as you wrote them.'
          : 'Cites are read from the card again, now and whenever it is saved.',
      )
      onClose()
    },
  })
  const problems = problemsOf(write.error, write.variables ?? [])
  return (
    <FormDialog
      onClose={onClose}
      title="What this card cites"
      description="Packages with a range, files with a commit, addresses. When they change, the card may no longer be true."
      action="Save"
      busy={write.isPending}
      error={problems.size > 0 ? null : write.error}
      onSubmit={() => write.mutate(rows.filter(isFilled))}
    >
      <RowsField
        legend="Cites"
        note="npm:fastify@^5, file:src/app.ts@1a2b3c4"
        addLabel="Add a cite"
        onAdd={() => add({ text: '' })}
      >
        <div className="grid gap-1.5">
          {rows.map((row, index) => (
            <div key={row.id} className="grid grid-cols-[minmax(0,1fr)_auto] gap-2">
              <TextField
                label={`Cite ${index + 1}`}
                hideLabel
                spellCheck={false}
                maxLength={500}
                value={row.text}
                onChange={(event) => set(row.id, { text: event.target.value })}
                error={problems.get(row.id)}
              />
              <RemoveRow label={`Remove cite ${index + 1}`} onRemove={() => remove(row.id)} />
            </div>
          ))}
        </div>
      </RowsField>
      <Notice
        action={
          <Button size="sm" disabled={write.isPending} onClick={() => write.mutate(null)}>
            Read them from the card
          </Button>
        }
      >
        Cites that you save stay as they are. They can be read from environment, steps and texts instead.
      </Notice>
    </FormDialog>
  )
}

function problemsOf(error: unknown, sent: readonly Row[]): Map<string, string> {
  const found = new Map<string, string>()
  if (!(error instanceof ApiError)) return found
  for (const { loc, msg } of error.issues) {
    const at = loc[loc.indexOf('cites') + 1]
    const row = typeof at === 'number' ? sent[at] : undefined
    if (row) found.set(row.id, msg)
  }
  return found
}
