import { IS_MAC, SHORTCUTS } from '../lib/shortcuts.ts'
import { Key } from '../ui/badge.tsx'
import { Dialog } from '../ui/dialog.tsx'
import * as strings from './strings.ts'

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title={strings.keyboard}>
      <dl className="grid gap-2">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={keys} className="flex items-center justify-between gap-4 text-sm">
            <dt className="text-soft">{does}</dt>
            <dd className="flex gap-1">
              {keyCaps(keys).map((cap) => (
                <Key key={cap}>{cap}</Key>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

const keyCaps = (keys: string) =>
  keys
    .split('+')
    .map(
      (key) =>
        ({ mod: IS_MAC ? '⌘' : 'Ctrl', Enter: '↵', Escape: 'Esc' })[key] ??
        (key.length === 1 ? key.toUpperCase() : key),
    )
