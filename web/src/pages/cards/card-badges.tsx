import { BookMarked, Bug, Lightbulb, ListChecks, Scale } from 'lucide-react'
import { FIRST_TEXTS } from '#server/shared/card-fields.ts'
import type { CardType, Trust } from '../../api/types.ts'
import { Badge } from '../../ui/badge.tsx'
import * as strings from './strings.ts'

/** The name of each type, and the hints of the editor. */
export const CARD_TYPES = {
  debug_fix: {
    label: strings.fix,
    icon: Bug,
    about: strings.fixHint,
    symptom: {
      label: strings.symptom,
      hint: strings.symptomHint,
    },
    fix: { label: strings.fix, hint: strings.fixTextHint },
  },
  how_to: {
    label: strings.howTo,
    icon: ListChecks,
    about: strings.howToHint,
    symptom: { label: strings.goal, hint: strings.goalHint },
    fix: { label: strings.way, hint: strings.wayHint },
  },
  lesson_learned: {
    label: strings.lesson,
    icon: Lightbulb,
    about: strings.lessonHint,
    symptom: { label: strings.situation, hint: strings.situationHint },
    fix: { label: strings.lesson, hint: strings.lessonTextHint },
  },
  decision: {
    label: strings.decision,
    icon: Scale,
    about: strings.decisionHint,
    symptom: { label: strings.question, hint: strings.decisionQuestionHint },
    fix: { label: strings.decision, hint: strings.decisionTextHint },
  },
  reference: {
    label: strings.reference,
    icon: BookMarked,
    about: strings.referenceHint,
    symptom: { label: strings.question, hint: strings.referenceQuestionHint },
    fix: { label: strings.answer, hint: strings.answerHint },
  },
} as const satisfies Record<CardType, unknown>

export type FirstText = (typeof FIRST_TEXTS)[number]
type FieldWords = { label: string; hint: string; isRequired: boolean }

/** Returns the words of the texts before the steps. Those of symptom and fix follow the type of the card. */
export function firstTexts(type: string): (FieldWords & { field: FirstText })[] {
  const { symptom, fix } = typeOf(type)
  const words: Record<FirstText, FieldWords> = {
    symptom: { ...symptom, isRequired: true },
    fix_summary: { ...fix, isRequired: true },
    root_cause: { label: strings.rootCause, hint: strings.rootCauseHint, isRequired: false },
  }
  return FIRST_TEXTS.map((field) => ({ field, ...words[field] }))
}

export const typeOf = (type: string) => CARD_TYPES[type as CardType] ?? CARD_TYPES.reference

export const TypeBadge = ({ type }: { type: CardType }) => {
  const { label, icon: Icon } = typeOf(type)
  return <Badge icon={<Icon size={12} aria-hidden />}>{label}</Badge>
}

/** Nothing where the summary counts nobody yet. */
export const TrustLine = ({ trust }: { trust: Trust | null }) =>
  trust && trust.people > 0 ? <p className="text-sm text-soft">{trust.summary}</p> : null

export const TrustWords = ({ trust }: { trust: Trust | null }) =>
  trust && trust.people > 0 ? (
    <span className="mt-1 line-clamp-1 text-xs text-soft" title={trust.summary}>
      {trust.summary}
    </span>
  ) : null
