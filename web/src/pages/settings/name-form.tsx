import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changeProfile } from '../../api/account.ts'
import { ApiError } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import { meQuery, useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

export function NameForm() {
  const me = useMe()
  const [name, setName] = useState(me.display_name)
  const change = useMutation({
    mutationFn: () => changeProfile({ display_name: name.trim() }),
    onSuccess: (user) => {
      queryClient.setQueryData(meQuery.queryKey, user)
      setName(user.display_name)
      toast('Your name is changed.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  const wrong = change.error instanceof ApiError ? change.error.field('display_name') : undefined
  return (
    <form className="grid max-w-field gap-4" onSubmit={submit}>
      <TextField
        label="Name"
        required
        maxLength={120}
        autoComplete="name"
        hint="It is shown on your cards, comments and invitations."
        value={name}
        error={wrong}
        onChange={(event) => setName(event.target.value)}
      />
      {!wrong && <FormError error={change.error} />}
      <div>
        <Button
          type="submit"
          busy={change.isPending}
          disabled={!name.trim() || name.trim() === me.display_name}
        >
          Save name
        </Button>
      </div>
    </form>
  )
}
