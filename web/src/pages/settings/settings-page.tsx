import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Account } from './account.tsx'
import { ApiKeys } from './api-keys.tsx'
import { ConnectedApps } from './connected-apps.tsx'
import { General } from './general.tsx'
import type { SettingsTab } from './routes.ts'

const route = getRouteApi('/app/settings')

export function SettingsPage() {
  const { tab = 'general' } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page title="Settings">
      <Tabs<SettingsTab>
        label="Settings"
        value={tab}
        onChange={(next) =>
          void navigate({ search: { tab: next === 'general' ? undefined : next }, replace: true })
        }
        tabs={[
          { value: 'general', label: 'General', content: <General /> },
          { value: 'keys', label: 'API keys', content: <ApiKeys /> },
          { value: 'apps', label: 'Connected apps', content: <ConnectedApps /> },
          { value: 'account', label: 'Account', content: <Account /> },
        ]}
      />
    </Page>
  )
}
