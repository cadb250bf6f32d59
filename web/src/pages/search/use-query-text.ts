import { useEffect, useRef, useState } from 'react'
import type { SearchState } from './search-state.ts'

const TYPING_PAUSE_MS = 140
export const SHORTEST_QUERY = 3

export type Change = (next: Partial<SearchState>, replace?: boolean) => void

/** The text in the search box, and how it and the address of the page follow each other. */
export function useQueryText(state: SearchState, change: Change, onSend: () => Promise<void>) {
  const isPaid = state.scope === 'public'
  const [text, setText] = useState(state.q ?? '')
  const sent = useRef(state.q ?? '')
  const pending = useRef(false)

  // The address changed from outside (back, palette, an example): the box follows.
  useEffect(() => {
    if ((state.q ?? '') === sent.current) return
    sent.current = state.q ?? ''
    setText(state.q ?? '')
  }, [state.q])

  const follow = (next: Partial<SearchState> = {}) => {
    sent.current = text
    change({ q: text.trim() ? text : undefined, card: undefined, ...next })
  }

  // Free scopes follow the typing; a paid search waits to be sent.
  useEffect(() => {
    if (text === sent.current || isPaid) return
    const timer = setTimeout(() => {
      sent.current = text
      change({ q: text.trim() ? text : undefined, card: undefined })
    }, TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, isPaid, change])

  // A submitted paid search runs once its address has arrived here, so that it is sent for what the bar shows.
  useEffect(() => {
    if (!pending.current || state.q !== sent.current) return
    pending.current = false
    void onSend()
  })

  const submit = () => {
    if (text.trim().length < SHORTEST_QUERY) return
    sent.current = text
    change({ q: text, card: undefined }, false)
    if (!isPaid) return
    if (text === state.q) void onSend()
    else pending.current = true
  }
  const clear = () => {
    setText('')
    sent.current = ''
    change({ q: undefined, card: undefined })
  }
  return { text, setText, submit, clear, follow }
}
