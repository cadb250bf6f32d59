import { useEffect, useRef, useState, useSyncExternalStore } from 'react'

const TYPING_PAUSE_MS = 140

/**
 * The text in a box that searches or filters, and how it and the address of the page follow each other. The address has
 * it without blanks around it; the box keeps them, since another word may follow.
 */
export function useQueryText(inAddress: string, apply: (text: string) => void) {
  const [text, setText] = useState(inAddress)
  const sent = useRef(inAddress.trim())

  // The address changed from outside (back, palette, an example): the box follows.
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
    // The person may be on the way to another page that is not drawn yet. To apply the text then would bring them back.
    const timer = setTimeout(() => location.pathname === page && follow(text), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])

  return {
    text,
    setText,
    /** Applies what was typed without waiting; true if the box and the address differed. */
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

/** The value, once it has stayed the same for a while. */
export function useDebounced<T>(value: T, waitMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs)
    return () => clearTimeout(timer)
  }, [value, waitMs])
  return settled
}

let query: MediaQueryList | undefined

/** Read on first use, because the style sheet with the breakpoint is loaded by then. */
function wide(): MediaQueryList {
  query ??= matchMedia(
    `(min-width: ${getComputedStyle(document.documentElement).getPropertyValue('--breakpoint-md')})`,
  )
  return query
}

export const isWide = (): boolean => wide().matches

/** True if list and detail are side by side; on a narrower screen the detail is a page of its own. */
export const useWide = () =>
  useSyncExternalStore((listener) => {
    wide().addEventListener('change', listener)
    return () => wide().removeEventListener('change', listener)
  }, isWide)
