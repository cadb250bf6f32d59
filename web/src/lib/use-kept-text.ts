import { useRef, useState } from 'react'
import { local } from './storage.ts'

/**
 * Text that stays in this browser until it is sent: after Back, after a reload, and after signing in again. Without a
 * key it stays only as long as the page.
 */
export function useKeptText(key: string | undefined, start: string) {
  const [kept] = useState(() => (key === undefined ? null : local.read<unknown>(key)))
  const [text, setText] = useState(typeof kept === 'string' ? kept : start)
  /** What is written by now; also known after the page was left. */
  const newest = useRef(text)
  const change = (next: string) => {
    newest.current = next
    setText(next)
    if (key === undefined) return
    if (next && next !== start) local.write(key, next)
    else local.remove(key)
  }
  /** Takes away what has been sent. What was written while it was being sent stays. */
  const dropSent = (sent: string) => {
    const { current } = newest
    change(current.startsWith(sent) ? current.slice(sent.length).trimStart() : current)
  }
  return { text, change, dropSent, isRestored: text === kept && text !== start }
}
