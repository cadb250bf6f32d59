import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { CircleCheck, Radio } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { queryClient, useAttempt } from '../../api/query.ts'
import type { Scope } from '../../api/types.ts'
import { formatAgo } from '../../lib/format.ts'
import { configQuery, useMe } from '../../session.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { CopyBlock } from '../../ui/copy-button.tsx'
import { Page } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AGENT_SCOPES, inOrder, KeyHome, ScopeBoxes, ShownKey } from '../settings/key-parts.tsx'
import { LINK_CLASS } from './account-card.tsx'
import { AGENTS, type AgentId, agentTabOf, kvaultCommand } from './agents.ts'
import * as strings from './strings.ts'

/** Not needed by most agents, so they are ticked on purpose. */
const MORE_SCOPES: readonly Scope[] = ['publish', 'workspace:write']

const isCore = (scopes: readonly Scope[]) => !MORE_SCOPES.some((scope) => scopes.includes(scope))

const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: () => call('GET /api/v1/auth/api-keys'),
})

const connectedAppsQuery = queryOptions({
  queryKey: ['connected-apps'],
  queryFn: ({ signal }) => call('GET /api/v1/auth/connected-apps', {}, { signal }),
})

/** Makes a key, shows it once, and waits until the agent first uses it. */
export function Connect() {
  const me = useMe()
  const [agent, setAgent] = useState<AgentId>(() => agentTabOf(me.onboarding))
  const shared = me.share_recorded ? me.default_workspace_id : null
  const [home, setHome] = useState(shared ?? '')
  const [scopes, setScopes] = useState(AGENT_SCOPES)
  const { data: config } = useQuery(configQuery)
  const attempt = useAttempt()
  const create = useMutation({
    mutationFn: () => {
      const input = {
        name: strings.keyNameOfAgent(AGENTS.find((one) => one.id === agent)?.name ?? 'Agent'),
        scopes: inOrder(scopes),
        ...(home ? { default_workspace_id: home, share_recorded: home === shared } : {}),
      }
      return attempt(input, (options) => call('POST /api/v1/auth/api-keys', input, options))
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['api-keys'] }),
  })
  const key = create.data
  const base = config?.base_url ?? location.origin
  return (
    <Page title={strings.connectYourAgent} lead={strings.connectLead} narrow>
      <ConnectedAgents />
      <OneCommand base={base} />
      <h2 className="mb-4 text-base font-semibold">{strings.byHand}</h2>
      <ol className="grid gap-8">
        <Step number={1} title={strings.keyForAgent}>
          {key ? (
            <ShownKey apiKey={key.api_key} />
          ) : (
            <KeyOffer create={create}>
              <KeyHome value={home} onChange={setHome} shared={shared} />
              <ScopeBoxes offered={MORE_SCOPES} chosen={scopes} onChange={setScopes} />
            </KeyOffer>
          )}
        </Step>
        <Step number={2} title={strings.theConfiguration}>
          <Tabs
            label={strings.agent}
            value={agent}
            onChange={setAgent}
            tabs={AGENTS.map((one) => ({
              value: one.id,
              label: one.name,
              content: (
                <div className="grid gap-2">
                  <p className="text-sm text-soft">{one.where}</p>
                  <CopyBlock
                    lines
                    label={`${one.name} configuration`}
                    text={one.config(base, key?.api_key ?? '<API_KEY>', isCore(scopes))}
                  />
                </div>
              ),
            }))}
          />
        </Step>
        <Step number={3} title={strings.theFirstCall}>
          {key ? (
            <FirstCall keyId={key.key_id} />
          ) : (
            <p className="text-sm text-faint">{strings.createKeyFirst}</p>
          )}
        </Step>
      </ol>
    </Page>
  )
}

const SHOWN = 12

/** Apps that signed in, and keys that were used, newest first. */
function ConnectedAgents() {
  const apps = useQuery(connectedAppsQuery)
  const keys = useQuery(apiKeysQuery)
  const agents = [
    ...(apps.data ?? []).map(({ app_id, name, last_used_at }) => ({ id: app_id, name, last_used_at })),
    ...(keys.data ?? []).map(({ key_id, name, last_used_at }) => ({ id: key_id, name, last_used_at })),
  ]
    .filter(({ last_used_at }) => last_used_at !== null)
    .toSorted((a, b) => ((a.last_used_at ?? '') < (b.last_used_at ?? '') ? 1 : -1))
  if (agents.length === 0) return null
  return (
    <section aria-label={strings.connectedAgents} className="mb-8">
      <h2 className="mb-2 text-base font-semibold">{strings.connectedAgents}</h2>
      <ul className="divide-y divide-line border-y border-line">
        {agents.slice(0, SHOWN).map(({ id, name, last_used_at }) => (
          <li key={id} className="flex items-baseline justify-between gap-4 py-1.5 text-sm">
            <span className="flex min-w-0 items-center gap-2">
              <CircleCheck size={16} aria-hidden className="shrink-0 text-ok" />
              <span className="truncate">{name}</span>
            </span>
            <span className="shrink-0 text-xs text-faint">
              {last_used_at && strings.lastUsed(formatAgo(last_used_at))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const OneCommand = ({ base }: { base: string }) => (
  <section aria-label={strings.oneCommand} className="mb-8 grid gap-2">
    <p className="text-sm text-soft">{strings.oneCommandHint}</p>
    <CopyBlock text={kvaultCommand(base, 'connect')} label={strings.command} />
    <p className="text-sm text-soft">
      {strings.claudeDesktopBefore}
      <a className={LINK_CLASS} href="/kvault.mcpb">
        {strings.claudeDesktopBundle}
      </a>
      {strings.orByHand}
    </p>
  </section>
)

type Create = { mutate: () => void; isPending: boolean; error: unknown }

const KeyOffer = ({ create, children }: { create: Create; children: ReactNode }) => (
  <div className="grid justify-items-start gap-3">
    <p className="text-sm text-soft">{strings.keyActsForYou}</p>
    {children}
    <FormError error={create.error} />
    <Button look="primary" busy={create.isPending} onClick={() => create.mutate()}>
      {strings.createAKey}
    </Button>
  </div>
)

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[--spacing(6)_minmax(0,1fr)] gap-x-3">
      <span
        aria-hidden
        className="grid size-6 place-items-center rounded-full bg-sunken text-xs font-medium text-soft"
      >
        {number}
      </span>
      <div>
        <h2 className="mb-3 text-base font-semibold">{title}</h2>
        {children}
      </div>
    </li>
  )
}

function FirstCall({ keyId }: { keyId: string }) {
  const keys = useQuery({
    ...apiKeysQuery,
    refetchInterval: (query) =>
      query.state.data?.find((key) => key.key_id === keyId)?.last_used_at ? false : 2000,
  })
  const used = keys.data?.find((key) => key.key_id === keyId)?.last_used_at
  if (!used)
    return (
      <p role="status" className="flex items-center gap-2 text-sm text-soft">
        <Radio size={16} aria-hidden className="animate-pulse text-warn" />
        {strings.waitingForFirstCall}
      </p>
    )
  return (
    <div className="grid justify-items-start gap-3">
      <p role="status" className="flex items-center gap-2 text-sm font-medium text-ok">
        <CircleCheck size={16} aria-hidden />
        {strings.firstCallCame}
      </p>
      <LinkButton to="/" look="primary">
        {strings.goToSearch}
      </LinkButton>
    </div>
  )
}
