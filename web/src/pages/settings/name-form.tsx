import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import { changeName } from '../../api/settings.ts'
import { meQuery, useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'

export function NameForm() {
  const me = useMe()
  const [name, setName] = useState(me.display_name)
  const change = useMutation({
    mutationFn: () => changeName({ display_name: name }),
    onSuccess: (user) => {
      queryClient.setQueryData(meQuery.queryKey, user)
      setName(user.display_name)
      toast('Others see your new name from now on.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  const error = change.error instanceof ApiError ? change.error.field('display_name') : undefined
  return (
    <form className="grid max-w-[360px] gap-4" onSubmit={submit}>
      <TextField
        label="Name"
        required
        maxLength={120}
        autoComplete="name"
        hint="Others see it beside cards that you share or publish."
        value={name}
        error={error ?? change.error?.message}
        onChange={(event) => setName(event.target.value)}
      />
      <div>
        <Button type="submit" busy={change.isPending} disabled={name.trim() === me.display_name}>
          Save name
        </Button>
      </div>
    </form>
  )
}
