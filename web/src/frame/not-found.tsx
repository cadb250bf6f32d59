import { Compass } from 'lucide-react'
import { LinkButton } from '../ui/button.tsx'
import { EmptyState } from '../ui/states.tsx'

export function NotFound() {
  return (
    <main className="pt-16">
      <EmptyState
        isPage
        icon={<Compass size={18} />}
        title="No page at this address"
        action={
          <LinkButton to="/" look="primary">
            Go to search
          </LinkButton>
        }
      >
        The link may be old, or a part of it is missing.
      </EmptyState>
    </main>
  )
}
