import { BookMarked, Bug, Lightbulb, ListChecks, Scale, ThumbsUp } from 'lucide-react'
import type { CardType, Trust } from '../../api/types.ts'
import { Badge } from '../../ui/badge.tsx'

/** The name of each type, and the hints of the editor. */
export const CARD_TYPES = {
  debug_fix: {
    label: 'Fix',
    icon: Bug,
    about: 'Something broke and you found out why.',
    symptom: {
      label: 'Symptom',
      hint: 'What was seen: the exact error text, when it happens, what was tried.',
    },
    fix: { label: 'Fix', hint: 'What made it go away, and how you know.' },
  },
  how_to: {
    label: 'How-to',
    icon: ListChecks,
    about: 'A way to get something done, for the next person.',
    symptom: { label: 'Goal', hint: 'What somebody wants to reach, in the words they would search for.' },
    fix: { label: 'Way', hint: 'The short version; the steps below have the details.' },
  },
  lesson_learned: {
    label: 'Lesson',
    icon: Lightbulb,
    about: 'What you would do differently next time.',
    symptom: { label: 'Situation', hint: 'What happened, and what it cost.' },
    fix: { label: 'Lesson', hint: 'What to do instead, stated so that it can be followed.' },
  },
  decision: {
    label: 'Decision',
    icon: Scale,
    about: 'What was chosen, and why the others were not.',
    symptom: { label: 'Question', hint: 'What had to be decided, and under which constraints.' },
    fix: { label: 'Decision', hint: 'The choice, its reasons, and when to look at it again.' },
  },
  reference: {
    label: 'Reference',
    icon: BookMarked,
    about: 'Facts that people look up again and again.',
    symptom: { label: 'Question', hint: 'What is being looked up.' },
    fix: { label: 'Answer', hint: 'The facts, with their source and date.' },
  },
} as const satisfies Record<CardType, unknown>

export const typeOf = (type: string) => CARD_TYPES[type as CardType] ?? CARD_TYPES.reference

export const TypeBadge = ({ type }: { type: CardType }) => {
  const { label, icon: Icon } = typeOf(type)
  return <Badge icon={<Icon size={12} aria-hidden />}>{label}</Badge>
}

export const UsefulCount = ({ count }: { count: number }) =>
  count > 0 ? (
    <span className="inline-flex items-center gap-1 text-xs text-faint">
      <ThumbsUp size={12} aria-hidden />
      {count} useful
    </span>
  ) : null

const percent = (share: number) => Math.round(share * 100)
const at = (share: number) => `${share * 100}%`

export const TrustLine = ({ trust }: { trust: Trust }) => (
  <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
    <span>{trust.summary}</span>
    <TrustBar trust={trust} />
  </p>
)

/** The bar is the likely range; the mark is the best estimate. */
function TrustBar({ trust }: { trust: Trust }) {
  const [low, high] = [percent(trust.low), percent(trust.high)]
  const words = `Works for the next person with a chance of ${percent(trust.value)} %, likely between ${low} and ${high} %`
  return (
    <span
      role="img"
      aria-label={words}
      title={words}
      className="inline-flex items-center gap-2 text-xs text-faint tabular-nums"
    >
      <span className="relative h-1.5 w-20 rounded-full bg-sunken">
        <span
          className="absolute inset-y-0 rounded-full bg-line-strong"
          style={{ left: at(trust.low), width: at(trust.high - trust.low) }}
        />
        <span
          className="absolute -inset-y-0.5 w-0.5 rounded-full bg-soft"
          style={{ left: at(trust.value) }}
        />
      </span>
      {low}–{high} %
    </span>
  )
}

export const TrustWords = ({ trust }: { trust: Trust | null }) =>
  trust && (
    <span className="mt-1 line-clamp-1 text-xs text-soft" title={trust.summary}>
      {trust.summary}
    </span>
  )
