import { FilePlus2 } from 'lucide-react'
import { LinkButton } from '../../ui/button.tsx'

/** Opens the editor, filled in from the exchange. Nothing is stored by that. */
export function MakeCard({ rawIds }: { rawIds: readonly [string, ...string[]] }) {
  const [from, ...also] = rawIds
  return (
    <LinkButton
      to="/cards/new"
      search={{ from, also: also.length > 0 ? also.join(',') : undefined }}
      size="sm"
      className="justify-self-start"
    >
      <FilePlus2 size={14} aria-hidden />
      Make a card
    </LinkButton>
  )
}
