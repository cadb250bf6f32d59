import { BookMarked, Bug, Lightbulb, ListChecks, Scale } from 'lucide-react'
import type { CardType } from '../../api/types.ts'

/** How each type is called, and what a good one says; the editor shows the hints beside its fields. */
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
