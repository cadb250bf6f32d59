import { type CardField, REVIEW_LIMITS } from '#server/shared/card-fields.ts'
import { ApiError } from '../../api/client.ts'
import type { CardType } from '../../api/types.ts'
import { emptyDraft, labelledTexts } from './draft.ts'
import * as strings from './strings.ts'

const labelsOf = (type: CardType) => labelledTexts({ ...emptyDraft(), card_type: type })

const FIELD_OF: Record<string, CardField> = {
  title_length: 'title',
  title_words: 'title',
  symptom_length: 'symptom',
  symptom_words: 'symptom',
  fix_length: 'fix_summary',
  fix_words: 'fix_summary',
  fix_is_not_symptom: 'fix_summary',
  no_placeholder: 'title',
  debug_grounds: 'root_cause',
}

/** Returns what each rule asks for, in the words of the form. */
export function ruleWords(type: CardType): Record<string, string> {
  const labels = labelsOf(type)
  const [title, symptom, fix] = [labels.title.label, labels.symptom.label, labels.fix_summary.label]
  return {
    title_length: strings.atLeastCharacters(title, REVIEW_LIMITS.titleCharacters),
    title_words: strings.atLeastWords(title, REVIEW_LIMITS.titleWords),
    symptom_length: strings.atLeastCharacters(symptom, REVIEW_LIMITS.textCharacters),
    symptom_words: strings.differentWords(symptom, REVIEW_LIMITS.textDistinctWords),
    fix_length: strings.atLeastCharacters(fix, REVIEW_LIMITS.textCharacters),
    fix_words: strings.differentWords(fix, REVIEW_LIMITS.textDistinctWords),
    fix_is_not_symptom: strings.saysMoreThan(fix, symptom),
    no_placeholder: strings.noPlaceholderText,
    debug_grounds: strings.causeStepOrEvidence,
    no_secrets: strings.noSecrets,
  }
}

type Reason = { rule: string; message: string; field?: string }

/** `field` is the name that the form has for it, empty for a rule about the whole card. */
export type RefusedRule = { field: string; label: string; text: string }

/** Returns what a refused review asks for, each thing once. */
export function refusedRules(error: unknown, type: CardType): RefusedRule[] {
  if (!(error instanceof ApiError) || error.code !== 'quality_rejected') return []
  return rulesOf((error.extra.reasons ?? []) as Reason[], type)
}

/** Returns what the reasons of a review ask for, in the words of the form, each thing once. */
export function rulesOf(reasons: readonly Reason[], type: CardType): RefusedRule[] {
  const [words, labels] = [ruleWords(type), labelsOf(type)]
  const labelOf = (path: string): string | undefined => {
    const [name = ''] = path.split('.')
    if (name === 'cites') return strings.cites
    return name === 'evidences' ? strings.evidence : labels[name as CardField]?.label
  }
  const refused = reasons.map(({ rule, message, field = '' }): RefusedRule => {
    if (rule === 'no_secrets') return secretRule(message, labelOf)
    const text = words[rule]
    if (text !== undefined) return { field: FIELD_OF[rule] ?? '', label: '', text }
    const [name = ''] = field.split('.')
    return {
      field: name,
      label: labelOf(field) ?? '',
      text: field ? message.replace(`${field}: `, '') : message,
    }
  })
  return refused.filter(
    ({ label, text }, at) => refused.findIndex((one) => one.label === label && one.text === text) === at,
  )
}

const PLACE = /\b[a-z_]+(?:\.[\w.]+)?(?= \()/g

/** The message names the places and kinds of secrets, such as `steps.0.action (PASSWORD)`. */
function secretRule(message: string, labelOf: (path: string) => string | undefined): RefusedRule {
  const [first = ''] = message.match(PLACE) ?? []
  const text = message.replace(PLACE, (path) => labelOf(path) ?? path)
  return { field: first.split('.')[0] ?? '', label: '', text }
}

export const refusedLine = ({ label, text }: RefusedRule): string => (label ? `${label}: ${text}` : text)
