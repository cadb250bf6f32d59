import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { useSignedIn } from '../../session.ts'
import { Logo } from '../../ui/logo.tsx'
import { Page } from '../../ui/page.tsx'
import { Support } from './support.tsx'

const route = getRouteApi('/open/help')

export function HelpPage() {
  const me = useSignedIn()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  if (me) return <Navigate to="/support" search={{ tab }} replace />
  return (
    <main>
      <Page
        title="Help"
        lead="Answers come from the guide. A person answers tickets."
        narrow
        back={
          <Link to="/sign-in" className="inline-flex items-center gap-2 rounded-sm font-semibold">
            <Logo />
            Knowledge Vault
          </Link>
        }
      >
        <Support
          email=""
          tab={tab ?? 'chat'}
          onTab={(next) =>
            void navigate({ search: { tab: next === 'ticket' ? next : undefined }, replace: true })
          }
        />
      </Page>
    </main>
  )
}
