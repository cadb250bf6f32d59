import { useRef, useState } from 'react'

/** JSON storage that never throws: storage may be full, blocked or hold foreign data. */
function jsonStore(storage: () => Storage) {
  return {
    read<T>(key: string): T | null {
      try {
        const text = storage().getItem(key)
        return text === null ? null : (JSON.parse(text) as T)
      } catch {
        return null
      }
    },
    write(key: string, value: unknown): boolean {
      try {
        storage().setItem(key, JSON.stringify(value))
        return true
      } catch {
        return false
      }
    },
    keys(start: string): string[] {
      try {
        const all = storage()
        const names = Array.from({ length: all.length }, (_, index) => all.key(index) ?? '')
        return names.filter((name) => name.startsWith(start))
      } catch {
        return []
      }
    },
    remove(key: string) {
      try {
        storage().removeItem(key)
      } catch {}
    },
  }
}

export const local = jsonStore(() => localStorage)
export const tab = jsonStore(() => sessionStorage)

/** Text that stays in this browser until it is sent. Without a key it stays only as long as the page. */
export function useKeptText(key: string | undefined, start: string) {
  const [kept] = useState(() => (key === undefined ? null : local.read<unknown>(key)))
  const [text, setText] = useState(typeof kept === 'string' ? kept : start)
  const newest = useRef(text)
  const change = (next: string) => {
    newest.current = next
    setText(next)
    if (key === undefined) return
    if (next && next !== start) local.write(key, next)
    else local.remove(key)
  }
  /** Removes the text that was sent; later typing stays. */
  const dropSent = (sent: string) => {
    const { current } = newest
    change(current.startsWith(sent) ? current.slice(sent.length).trimStart() : current)
  }
  /** Forgets an edited text once it is saved. Returns false, and keeps it, if it was changed since. */
  const dropSaved = (saved: string): boolean => {
    const kept = key === undefined ? null : local.read<unknown>(key)
    const latest = [newest.current, typeof kept === 'string' ? kept : saved]
    if (latest.some((one) => one.trim() !== saved.trim())) return false
    if (key !== undefined) local.remove(key)
    return true
  }
  return { text, change, dropSent, dropSaved, isRestored: text === kept && text !== start }
}

/** `crypto.randomUUID` exists only on https and localhost, and the app also runs on a plain LAN address. */
export const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
