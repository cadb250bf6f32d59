import { diffLines, diffWordsWithSpace } from 'diff'
import type { CardField } from '#server/shared/card-fields.ts'
import { cx } from '../../lib/cx.ts'
import { type Draft, labelledTexts } from './draft.ts'
import * as strings from './strings.ts'

export function VersionDiff({ before, after }: { before: Draft | null; after: Draft }) {
  const old = before && labelledTexts(before)
  const fields = Object.entries(labelledTexts(after))
    .map(([field, { label, text }]) => ({ name: label, text, was: old?.[field as CardField].text ?? '' }))
    .filter((field) => field.text !== field.was)
  if (fields.length === 0) return <p className="text-sm text-faint">{strings.noDifference}</p>
  return (
    <div className="grid gap-4">
      {fields.map((field) => (
        <section key={field.name}>
          <h3 className="mb-1 text-xs font-medium text-faint">{field.name}</h3>
          <FieldDiff before={field.was} after={field.text} />
        </section>
      ))}
    </div>
  )
}

// Word diffs grow with the product of both lengths; long texts are compared by line.
const WORD_LIMIT = 8000

export function FieldDiff({ before, after }: { before: string; after: string }) {
  const parts =
    before.length + after.length > WORD_LIMIT ? diffLines(before, after) : diffWordsWithSpace(before, after)
  return (
    <p className="text-sm whitespace-pre-wrap wrap-break-word">
      {parts.map((part, index) => {
        const Tag = part.added ? 'ins' : part.removed ? 'del' : 'span'
        return (
          <Tag
            key={index}
            className={cx(
              part.added && (parts[index - 1]?.removed ? 'ml-1' : ''),
              part.added && 'bg-ok-soft text-ok no-underline',
              part.removed && 'bg-bad-soft text-bad',
            )}
          >
            {part.value}
          </Tag>
        )
      })}
    </p>
  )
}
