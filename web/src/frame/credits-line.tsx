import { useQuery } from '@tanstack/react-query'
import { Coins } from 'lucide-react'
import { credits } from '../lib/format.ts'
import { configQuery, useMe } from '../session.ts'

/** The balance, where it is always in sight. */
export function CreditsLine() {
  const me = useMe()
  const { data: config } = useQuery(configQuery)
  if (config && !config.credits) return null
  return (
    <div className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-soft">
      <Coins size={16} aria-hidden className="text-faint" />
      <span className="tabular-nums">{credits(me.credits_balance)}</span>
    </div>
  )
}
