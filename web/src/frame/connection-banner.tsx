import { CloudOff } from 'lucide-react'
import { useReachable } from '../lib/reachable.ts'

/** Says that the server is unreachable. The page stays, and waiting calls continue by themselves. */
export function ConnectionBanner() {
  const isReachable = useReachable()
  return (
    <div role="status" data-screen="" className="sticky top-0 z-20">
      {!isReachable && (
        <p className="flex items-start gap-2 border-b border-line bg-warn-soft px-4 py-2 text-sm text-ink">
          <CloudOff size={16} aria-hidden className="mt-0.5 shrink-0 text-warn" />
          The server cannot be reached. What is on the page stays, and everything goes on when it is back.
        </p>
      )}
    </div>
  )
}
