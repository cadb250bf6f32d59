import { useEffect, useRef, useState, useSyncExternalStore } from 'react'

const TYPING_PAUSE_MS = 140

/** Keeps the text of a search box and the address in step. The address has the text trimmed; the box keeps its blanks. */
export function useQueryText(inAddress: string, apply: (text: string) => void) {
  const [text, setText] = useState(inAddress)
  const sent = useRef(inAddress.trim())

  useEffect(() => {
    if (inAddress.trim() === sent.current) return
    sent.current = inAddress.trim()
    setText(inAddress)
  }, [inAddress])

  const follow = (next: string) => {
    sent.current = next.trim()
    apply(sent.current)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the text alone
  useEffect(() => {
    if (text.trim() === sent.current) return
    const page = location.pathname
    // The person may be on the way to another page; applying the text then would bring them back.
    const timer = setTimeout(() => location.pathname === page && follow(text), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])

  return {
    text,
    setText,
    /** Applies the text without waiting; true if box and address differed. */
    flush: (): boolean => {
      if (text.trim() === sent.current) return false
      follow(text)
      return true
    },
    clear: () => {
      setText('')
      follow('')
    },
  }
}

export function useDebounced<T>(value: T, waitMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs)
    return () => clearTimeout(timer)
  }, [value, waitMs])
  return settled
}

let query: MediaQueryList | undefined

/** Read on first use: the style sheet with the breakpoint is loaded by then. */
function wide(): MediaQueryList {
  query ??= matchMedia(
    `(min-width: ${getComputedStyle(document.documentElement).getPropertyValue('--breakpoint-md')})`,
  )
  return query
}

export const isWide = (): boolean => wide().matches

/** True if list and detail are side by side. */
export const useWide = () =>
  useSyncExternalStore((listener) => {
    wide().addEventListener('change', listener)
    return () => wide().removeEventListener('change', listener)
  }, isWide)
