import { getRouteApi } from '@tanstack/react-router'
import { useMe } from '../../session.ts'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Account } from './account.tsx'
import { ApiKeys } from './api-keys.tsx'
import { ConnectedApps } from './connected-apps.tsx'
import { General } from './general.tsx'
import type { SettingsTab } from './routes.ts'
import { Server } from './server.tsx'
import * as strings from './strings.ts'

const route = getRouteApi('/app/settings')

export function SettingsPage() {
  const { tab: asked = 'general' } = route.useSearch()
  const isAdmin = useMe().is_admin
  const tab = asked === 'server' && !isAdmin ? 'general' : asked
  const navigate = route.useNavigate()
  return (
    <Page title={strings.settings}>
      <Tabs<SettingsTab>
        label={strings.settings}
        value={tab}
        onChange={(next) =>
          void navigate({ search: { tab: next === 'general' ? undefined : next }, replace: true })
        }
        tabs={[
          { value: 'general', label: strings.general, content: <General /> },
          { value: 'keys', label: strings.apiKeys, content: <ApiKeys /> },
          { value: 'apps', label: strings.connectedApps, content: <ConnectedApps /> },
          { value: 'account', label: strings.account, content: <Account /> },
          ...(isAdmin ? [{ value: 'server' as const, label: strings.server, content: <Server /> }] : []),
        ]}
      />
    </Page>
  )
}
