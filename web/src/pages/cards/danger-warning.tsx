import { useEffect, useState } from 'react'
import type { DangerRuleId, Severity } from '#server/review/rule.ts'
import { whenLoaded } from '../../lib/when-loaded.ts'
import { Notice } from '../../ui/states.tsx'

type Told = { rule: DangerRuleId; severity: Severity; quote: string; why: string; safer: string }

const MOST_TOLD = 3
const LONGEST_QUOTE = 60
const SHORTEST_TEXT = 8

async function lookAt(text: string): Promise<Told[]> {
  const [{ findDanger }, { DANGER_WORDS }] = await Promise.all([
    import('#server/review/find-danger.ts'),
    import('#server/review/find-danger.ts'),
  ])
  const first = new Map<string, Told>()
  for (const { rule, severity, start, end } of findDanger(text)) {
    const known = first.get(rule)
    if (severity === 'note' || (known && known.severity === 'block')) continue
    if (known && severity === known.severity) continue
    first.set(rule, { rule, severity, quote: text.slice(start, end), ...DANGER_WORDS[rule] })
  }
  return [...first.values()].slice(0, MOST_TOLD)
}

/** The server's own review for danger, run while typing. */
function useDanger(text: string): Told[] {
  const [found, setFound] = useState<Told[]>([])
  useEffect(() => {
    if (text.length < SHORTEST_TEXT) return setFound([])
    let current = true
    const timer = setTimeout(() => whenLoaded(lookAt(text), (told) => current && setFound(told)), 300)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [text])
  return found
}

const shortened = (quote: string) =>
  quote.length > LONGEST_QUOTE ? `${quote.slice(0, LONGEST_QUOTE)}…` : quote

/** What publishing would refuse or mark, why, and how to say it safely. */
export function DangerWarning({ text }: { text: string }) {
  const found = useDanger(text)
  if (found.length === 0) return null
  return (
    <Notice tone="warn">
      <ul className="grid gap-2">
        {found.map(({ rule, severity, quote, why, safer }) => (
          <li key={rule}>
            <code className="wrap-anywhere">{shortened(quote)}</code>{' '}
            {severity === 'block' ? 'cannot be published like this.' : 'is marked for its readers.'} {why}{' '}
            {safer}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
