import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { configQuery } from '../../session.ts'
import { Page } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { CreditsTab } from './credits-tab.tsx'
import { InviteCodes } from './invite-codes.tsx'
import { PaymentNotice } from './payment-notice.tsx'
import { Plans } from './plans.tsx'
import type { BillingTab } from './routes.ts'

const route = getRouteApi('/app/billing')

export function BillingPage() {
  const { tab = 'credits' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: config } = useQuery(configQuery)
  return (
    <Page
      title="Credits and billing"
      lead="Searching your own and your team’s cards is free. A library search costs credits only when it finds something; publishing earns some."
    >
      <div className="mb-5 grid gap-3 empty:hidden">
        <PaymentNotice />
        {config && !config.credits && (
          <Notice>Credits are switched off on this server: nothing is ever charged.</Notice>
        )}
      </div>
      <Tabs<BillingTab>
        label="Credits and billing"
        value={tab}
        onChange={(next) =>
          void navigate({ search: { tab: next === 'credits' ? undefined : next }, replace: true })
        }
        tabs={[
          { value: 'credits', label: 'Credits', content: <CreditsTab /> },
          { value: 'plans', label: 'Plans', content: <Plans /> },
          { value: 'codes', label: 'Invite codes', content: <InviteCodes /> },
        ]}
      />
    </Page>
  )
}
