import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Coins } from 'lucide-react'
import { credits } from '../lib/format.ts'
import { configQuery, useMe } from '../session.ts'

/** The balance, where it is always in sight; the ledger is one click away. */
export function CreditsLine() {
  const me = useMe()
  const { data: config } = useQuery(configQuery)
  if (config && !config.credits) return null
  return (
    <Link
      to="/billing"
      className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-soft transition-colors hover:bg-hover hover:text-ink"
    >
      <Coins size={16} aria-hidden className="text-faint" />
      <span className="tabular-nums">{credits(me.credits_balance)}</span>
    </Link>
  )
}
