import { useMutation, useQuery } from '@tanstack/react-query'
import { addSamples, removeSamples } from '../../api/first-steps.ts'
import { queryClient } from '../../api/query.ts'
import { plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { firstStepsChanged, firstStepsQuery } from './first-steps-queries.ts'

const cardsChanged = () =>
  Promise.all([
    firstStepsChanged(),
    queryClient.invalidateQueries({ queryKey: ['cards'] }),
    queryClient.invalidateQueries({ queryKey: ['search'] }),
  ])

type Size = { small?: boolean }

const look = ({ small }: Size) =>
  small ? ({ look: 'ghost', size: 'sm', className: 'w-full justify-start px-1!' } as const) : {}

/** Adds a few cards to read and search, before the person has any. */
export function AddSamples(props: Size) {
  const add = useMutation({
    mutationFn: () => addSamples(),
    onSuccess: async ({ added }) => {
      toast(`${plural(added, 'sample card')} added. Only you see them.`)
      await cardsChanged()
    },
    onError: toastError,
  })
  return (
    <Button {...look(props)} busy={add.isPending} onClick={() => add.mutate()}>
      Add sample cards
    </Button>
  )
}

export function RemoveSamples(props: Size) {
  const remove = useMutation({
    mutationFn: () => removeSamples(),
    onSuccess: async ({ removed, kept }) => {
      const stay = kept.length > 0 ? ` ${plural(kept.length, 'card')} stay: you changed or shared them.` : ''
      toast(`${plural(removed, 'sample card')} removed.${stay}`)
      await cardsChanged()
    },
    onError: toastError,
  })
  return (
    <Button {...look(props)} busy={remove.isPending} onClick={() => remove.mutate()}>
      Remove sample cards
    </Button>
  )
}

/** Shown above the person's cards as long as some of them are samples. */
export function SampleNotice() {
  const { data } = useQuery(firstStepsQuery)
  if (!data || data.sample_cards === 0) return null
  return (
    <div className="mb-3">
      <Notice action={<RemoveSamples />}>
        {plural(data.sample_cards, 'sample card')} among yours, to look at and to search.
      </Notice>
    </div>
  )
}
