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
  /**
   * For a text that is edited: forgets it once it is saved. False if it has gone on since then, here or where it was opened
   * again; then all of it stays.
   */
  const dropSaved = (saved: string): boolean => {
    const kept = key === undefined ? null : local.read<unknown>(key)
    const latest = [newest.current, typeof kept === 'string' ? kept : saved]
    if (latest.some((one) => one.trim() !== saved.trim())) return false
    if (key !== undefined) local.remove(key)
    return true
  }
  return { text, change, dropSent, dropSaved, isRestored: text === kept && text !== start }
}
