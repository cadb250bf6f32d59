import { getRouteApi } from '@tanstack/react-router'
import { useMe } from '../../session.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { MyTickets } from './my-tickets.tsx'
import { Support } from './support.tsx'

const route = getRouteApi('/app/support')

export function SupportPage() {
  const me = useMe()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page
      title="Support"
      lead="Answers come from the guide. A person answers tickets."
      narrow
      actions={me.is_admin && <LinkButton to="/admin/tickets">All tickets</LinkButton>}
    >
      <Support
        email={me.email}
        tab={tab ?? 'chat'}
        onTab={(next) =>
          void navigate({ search: { tab: next === 'chat' ? undefined : next }, replace: true })
        }
        mine={<MyTickets />}
      />
    </Page>
  )
}
