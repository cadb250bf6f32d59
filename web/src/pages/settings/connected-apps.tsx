import { useMutation, useQuery } from '@tanstack/react-query'
import { AppWindow, BadgeCheck, Unplug } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { ConnectedApp } from '../../api/types.ts'
import { formatAgo, formatDay } from '../../lib/format.ts'
import { Tag } from '../../ui/badge.tsx'
import { IconButton, LinkButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import * as strings from './strings.ts'

const APPS_KEY = ['connected-apps']

export function ConnectedApps() {
  const apps = useQuery({
    queryKey: APPS_KEY,
    queryFn: ({ signal }) => call('GET /api/v1/auth/connected-apps', {}, { signal }),
  })
  const [leaving, setLeaving] = useState<ConnectedApp | null>(null)
  return (
    <Section title={strings.connectedApps} lead={strings.connectedAppsLead}>
      {!apps.data && (
        <NotLoaded query={apps}>
          <SkeletonList rows={2} />
        </NotLoaded>
      )}
      {apps.data?.length === 0 && (
        <EmptyState
          icon={<AppWindow size={18} />}
          title={strings.noConnectedApps}
          action={<LinkButton to="/connect">{strings.connectYourAgent}</LinkButton>}
        >
          {strings.noConnectedAppsHint}
        </EmptyState>
      )}
      {apps.data && apps.data.length > 0 && (
        <Table
          label={strings.connectedApps}
          rows={apps.data}
          rowKey={(app) => app.app_id}
          columns={[
            { name: strings.app, cell: (app) => <AppName app={app} /> },
            {
              name: strings.may,
              wide: true,
              cell: (app) => (
                <span className="flex flex-wrap gap-1">
                  {app.scopes.map((scope) => (
                    <Tag key={scope}>{strings.scopeNames[scope] ?? scope}</Tag>
                  ))}
                </span>
              ),
            },
            {
              name: strings.lastUsed,
              cell: (app) => (
                <span className="text-soft">
                  {app.last_used_at ? formatAgo(app.last_used_at) : strings.never}
                </span>
              ),
            },
            {
              name: strings.actions,
              hideName: true,
              end: true,
              cell: (app) => (
                <IconButton label={strings.disconnectApp(app.name)} onClick={() => setLeaving(app)}>
                  <Unplug size={16} />
                </IconButton>
              ),
            },
          ]}
        />
      )}
      {leaving && <Disconnect app={leaving} onClose={() => setLeaving(null)} />}
    </Section>
  )
}

/** The name is the app's own claim; only a verified host counts as proof. */
const AppName = ({ app }: { app: ConnectedApp }) => (
  <span className="block min-w-0">
    <span className="block max-w-48 truncate font-medium sm:max-w-72">{app.name}</span>
    <span className="flex items-center gap-1 text-xs text-faint">
      {app.verified_host ? (
        <>
          <BadgeCheck size={12} aria-hidden className="text-ok" />
          {app.verified_host}
        </>
      ) : (
        strings.nameNotVerified(formatDay(app.connected_at))
      )}
    </span>
  </span>
)

function Disconnect({ app, onClose }: { app: ConnectedApp; onClose: () => void }) {
  const disconnect = useMutation({
    mutationFn: () => call('DELETE /api/v1/auth/connected-apps/{app_id}', { app_id: app.app_id }),
    onSuccess: () => toast(strings.appDisconnected(app.name)),
    onError: toastError,
    onSettled: async () => {
      onClose()
      await queryClient.invalidateQueries({ queryKey: APPS_KEY })
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={disconnect}
      title={strings.disconnectApp(app.name)}
      action={strings.disconnect}
    >
      <p>{strings.disconnectWarning}</p>
    </ConfirmDialog>
  )
}
