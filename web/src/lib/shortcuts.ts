import { useEffect, useRef } from 'react'

/** Every key of the app, in the order of the help. */
export const SHORTCUTS = [
  { keys: '/', does: 'Search' },
  { keys: 'mod+k', does: 'Command palette' },
  { keys: 'j', does: 'Next in the list' },
  { keys: 'k', does: 'Previous in the list' },
  { keys: 'Enter', does: 'Open' },
  { keys: 'Escape', does: 'Close, or leave the box' },
  { keys: 'e', does: 'Edit the open card' },
  { keys: 'y', does: 'Copy the link of the open card' },
  { keys: 'c', does: 'New card' },
  { keys: 'mod+s', does: 'Save' },
  { keys: '?', does: 'Show these keys' },
] as const

type ShortcutKeys = (typeof SHORTCUTS)[number]['keys']

export const IS_MAC = /mac|iphone|ipad/i.test(navigator.userAgent)

const typesText = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const OTHER_LETTER = /^(?!\p{Script=Latin})\p{L}$/u

/** Tells whether this key is meant. Where the layout has no Latin letters, the key's position counts. */
export const isKey = ({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>, wanted: string): boolean =>
  (OTHER_LETTER.test(key) ? code.replace('Key', '') : key).toLowerCase() === wanted.toLowerCase()

/** Registers a shortcut while mounted. Plain keys are ignored while typing or in a dialog. */
export function useShortcut(keys: ShortcutKeys, run: (event: KeyboardEvent) => void, enabled = true) {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    if (!enabled) return
    const [last = '', withMod] = keys.split('+').reverse()
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return
      if ((event.metaKey || event.ctrlKey) !== Boolean(withMod)) return
      if (!isKey(event, last)) return
      if (!withMod && (typesText(event.target) || document.querySelector('dialog[open],[role=menu]'))) return
      if (keys === 'Enter' && event.target instanceof HTMLElement && event.target.closest('a,button,summary'))
        return
      event.preventDefault()
      latest.current(event)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [keys, enabled])
}
