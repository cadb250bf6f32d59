import { afterEach, expect, test, vi } from 'vitest'
import { queryClient } from './api/query.ts'
import type { User } from './api/types.ts'
import { watchSession, whenSessionOver } from './lib/session-user.ts'
import { meQuery } from './session.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  whenSessionOver(() => {})
  queryClient.clear()
})

test('that the session is over is told also where the question who is signed in hears of it first', async () => {
  const over = vi.fn()
  watchSession(() => queryClient.getQueryData(meQuery.queryKey)?.user_id)
  whenSessionOver(over)
  vi.stubGlobal('fetch', async () => Response.json({ code: 'not_authenticated' }, { status: 401 }))
  const ask = () => queryClient.fetchQuery({ ...meQuery, staleTime: 0 })
  // A stranger has no session that could end.
  expect(await ask()).toBeNull()
  expect(over).not.toHaveBeenCalled()
  queryClient.setQueryData(meQuery.queryKey, { user_id: 'u1' } as User)
  expect(await ask()).toBeNull()
  expect(over).toHaveBeenCalledOnce()
})
