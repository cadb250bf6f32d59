import { Globe, Lock, PenLine, Users } from 'lucide-react'
import { useId } from 'react'
import { cx } from '../../../lib/cx.ts'
import { Badge } from '../../../ui/badge.tsx'
import { isSameTarget, type Target } from './sharing.ts'

export type Option = { target: Target; name: string; hint: string }

type Props = {
  options: Option[]
  value: Target | undefined
  present: Target | undefined
  onChange: (target: Target) => void
}

const ICONS = { private: Lock, draft: PenLine, team: Users, library: Globe } as const

const keyOf = (target: Target) => (target.kind === 'team' ? target.workspaceId : target.kind)

/** The homes that a card can have, from the fewest readers to the most. */
export function Choice({ options, value, present, onChange }: Props) {
  const name = useId()
  return (
    <fieldset className="grid gap-1">
      <legend className="sr-only">Who can read it</legend>
      {options.map((option) => {
        const Icon = ICONS[option.target.kind]
        const isChosen = value !== undefined && isSameTarget(value, option.target)
        return (
          <label
            key={keyOf(option.target)}
            className={cx(
              'flex items-start gap-2.5 rounded-md border px-3 py-2 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent',
              isChosen ? 'border-accent bg-chosen' : 'border-line hover:bg-hover',
            )}
          >
            <input
              type="radio"
              name={name}
              className="mt-1 accent-accent"
              checked={isChosen}
              onChange={() => onChange(option.target)}
            />
            <Icon size={16} aria-hidden className="mt-0.5 shrink-0 text-faint" />
            <span className="min-w-0 grow">
              <span className="flex items-center gap-2 text-sm font-medium">
                <span className="truncate">{option.name}</span>
                {present && isSameTarget(present, option.target) && <Badge>Now</Badge>}
              </span>
              <span className="block text-xs text-soft">{option.hint}</span>
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}
