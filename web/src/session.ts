import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Licence } from '#server/shared/licences.ts'
import { ApiError, call, requestJson } from './api/client.ts'
import { queryClient } from './api/query.ts'
import type { TokenResponse, User } from './api/types.ts'
import { dropFirstAnswers } from './first-load/answers.ts'
import {
  reloadPage,
  reportSessionOver,
  sessionUser,
  tellOtherTabs,
  watchSession,
} from './lib/session-user.ts'

/** The signed-in person, or null. The session is an HttpOnly cookie, unreadable for scripts. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<User | null> => {
    const before = sessionUser()
    try {
      const user = await call('GET /api/v1/auth/me', {}, { signal })
      if (user.user_id !== (sessionUser() ?? user.user_id)) reloadPage()
      return user
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error
      // A tab that was hidden asks this first when it is shown again.
      if (before !== undefined) reportSessionOver(before)
      return null
    }
  },
})

watchSession(() => queryClient.getQueryData(meQuery.queryKey)?.user_id)

export function useMe(): User {
  const { data } = useSuspenseQuery(meQuery)
  const [first] = useState(data)
  // When the session ends, a page may be drawn once more before the frame removes it.
  const user = data ?? first
  if (!user) throw new Error('You are signed out.')
  return user
}

export const useSignedIn = () => useQuery(meQuery).data ?? null

/** Returns whether the app speaks of credits, prices and plans to the signed-in person. */
export const useShowsCredits = (): boolean => useSignedIn()?.shows_credits === true

const AS_COOKIE = { headers: { 'X-Session': 'cookie' } }

async function begin(answer: Promise<TokenResponse>): Promise<User> {
  const { user } = await answer
  tellOtherTabs(user.user_id)
  dropFirstAnswers()
  queryClient.clear()
  queryClient.setQueryData(meQuery.queryKey, user)
  // Only the answer about oneself says whether credits are shown.
  void refreshMe()
  return user
}

export const signIn = (input: { email: string; password: string }) =>
  begin(call('POST /api/v1/auth/login', input, AS_COOKIE))
export const signUp = (input: {
  email: string
  password: string
  display_name?: string
  invite_code?: string
}) => begin(call('POST /api/v1/auth/register', input, AS_COOKIE))
export const signInWithGoogle = (input: { id_token: string; invite_code?: string }) =>
  begin(call('POST /api/v1/auth/google', input, AS_COOKIE))

/** Ends the session in all tabs and drops the data of its person. */
export function leaveSession() {
  tellOtherTabs(null)
  dropFirstAnswers()
  queryClient.clear()
  queryClient.setQueryData(meQuery.queryKey, null)
  sessionStorage.clear()
}

export async function signOut() {
  await call('POST /api/v1/auth/logout')
  leaveSession()
}

export const refreshMe = () => queryClient.invalidateQueries({ queryKey: meQuery.queryKey })

export type AppConfig = {
  base_url: string
  version: string
  credits: boolean
  registration: 'open' | 'invite' | 'closed'
  mail: boolean
  public_pages: boolean
  has_accounts: boolean
  /** The licence of publications without another choice. */
  library_licence: Licence
  google: { client_id: string; authorize_url: string } | null
}

export const configQuery = queryOptions({
  queryKey: ['config'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }): Promise<AppConfig> => requestJson('/app-config.json', { signal }),
})

export const creditsPolicyQuery = queryOptions({
  queryKey: ['credits-policy'],
  // An admin may switch credits off while the app is open.
  staleTime: 60_000,
  queryFn: () => call('GET /api/v1/credits/policy'),
})
