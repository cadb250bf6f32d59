import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useTitle } from '../../lib/title.ts'
import { type AppConfig, configQuery } from '../../session.ts'
import { buttonClass, LinkButton } from '../../ui/button.tsx'
import { Logo } from '../../ui/logo.tsx'
import { LINK_CLASS } from './account-card.tsx'
import * as strings from './strings.ts'

/** What a stranger sees first: a card, from the failing command to the fix. */
export function Landing() {
  useTitle('')
  const { data: config } = useQuery(configQuery)
  return (
    <main className="mx-auto grid min-h-dvh max-w-reading content-center gap-6 px-4 py-8 md:px-8">
      <div className="flex items-center gap-2 text-sm font-semibold">
        <Logo size={24} />
        {strings.knowledgeVault}
      </div>
      <SampleCard />
      <header className="grid gap-2">
        <h1 className="text-lg font-semibold tracking-tight">{strings.slogan}</h1>
        <p className="max-w-lead text-base text-soft">{strings.landingLead}</p>
      </header>
      {config && <Ways config={config} />}
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        <a href="/guide" className={LINK_CLASS}>
          {strings.guide}
        </a>
        <a href="/docs" className={LINK_CLASS}>
          {strings.api}
        </a>
        <a href="/help" className={LINK_CLASS}>
          {strings.help}
        </a>
      </p>
    </main>
  )
}

const CODE =
  'overflow-x-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere'

const SampleCard = () => (
  <section aria-label={strings.sampleLabel} className="grid gap-3">
    <p className={CODE}>
      <span className="text-faint">$ </span>
      {strings.sampleCommand}
      <span className="block text-bad">{strings.sampleError}</span>
    </p>
    <article className="grid gap-3 rounded-md border border-line bg-panel p-4 text-sm">
      <p className="text-base font-semibold">{strings.sampleTitle.replaceAll('`', '')}</p>
      <p>
        <span className="font-medium">{strings.fix}: </span>
        {strings.sampleFix}
      </p>
      <p className={CODE}>{strings.sampleFixCommand}</p>
      <p className="text-soft">
        <span className="font-medium">{strings.cause}: </span>
        {strings.sampleCause}
      </p>
      <p className="flex items-center gap-1.5 text-xs text-soft">
        <CircleCheck size={14} aria-hidden className="text-ok" />
        {strings.sampleTrust}
      </p>
    </article>
  </section>
)

/** On a vault without accounts there is nobody to sign in. */
function Ways({ config }: { config: AppConfig }) {
  const mayJoin = config.registration !== 'closed'
  const isFirst = mayJoin && config.has_accounts === false
  const join = config.registration === 'invite' ? strings.haveInvitation : strings.createAnAccount
  return (
    <div className="flex flex-wrap gap-2">
      {isFirst && (
        <LinkButton to="/sign-up" look="primary" size="lg">
          {strings.createFirstAccount}
        </LinkButton>
      )}
      <LinkButton to="/sign-in" look={isFirst ? 'plain' : 'primary'} size="lg">
        {strings.signIn}
      </LinkButton>
      {mayJoin && !isFirst && (
        <LinkButton to="/sign-up" size="lg">
          {join}
        </LinkButton>
      )}
      {config.public_pages && (
        <a href="/library" className={buttonClass('ghost', 'lg')}>
          {strings.readPublicLibrary}
        </a>
      )}
    </div>
  )
}
