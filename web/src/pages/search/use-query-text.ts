import { useEffect, useRef, useState } from 'react'
import { NOTHING_CHOSEN, type SearchState } from './search-state.ts'

const TYPING_PAUSE_MS = 140

export type Change = (next: Partial<SearchState>, replace?: boolean) => void

/** The text in the search box, and how it and the address of the page follow each other. */
export function useQueryText(state: SearchState, change: Change) {
  const [text, setText] = useState(state.q ?? '')
  const sent = useRef(state.q ?? '')

  // The address changed from outside (back, palette, an example): the box follows.
  useEffect(() => {
    if ((state.q ?? '') === sent.current) return
    sent.current = state.q ?? ''
    setText(state.q ?? '')
  }, [state.q])

  const follow = (next: string) => {
    sent.current = next
    change({ q: next.trim() ? next : undefined, ...NOTHING_CHOSEN })
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the text alone
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => follow(text), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])

  return {
    text,
    setText,
    /** Applies what was typed without waiting; true if the box and the address differed. */
    flush: (): boolean => {
      if (text === sent.current) return false
      follow(text)
      return true
    },
    clear: () => {
      setText('')
      follow('')
    },
  }
}
