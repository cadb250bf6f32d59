import { IS_MAC } from './shortcuts.ts'

/** Every key of the app, in the order the help shows them. */
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

export type ShortcutKeys = (typeof SHORTCUTS)[number]['keys']

/** "mod+k" as people know it from their keyboard. */
export const keyCaps = (keys: string) =>
  keys
    .split('+')
    .map(
      (key) =>
        ({ mod: IS_MAC ? '⌘' : 'Ctrl', Enter: '↵', Escape: 'Esc' })[key] ??
        (key.length === 1 ? key.toUpperCase() : key),
    )
