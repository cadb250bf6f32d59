import { useQuery } from '@tanstack/react-query'
import { Brain, Search, Users } from 'lucide-react'
import { useTitle } from '../../lib/title.ts'
import { configQuery } from '../../session.ts'
import { buttonClass, LinkButton } from '../../ui/button.tsx'
import { Logo } from '../../ui/logo.tsx'
import { LINK_CLASS } from './account-card.tsx'
import * as strings from './strings.ts'

const USES = [
  {
    icon: Search,
    title: strings.findIt,
    text: strings.findItText,
  },
  {
    icon: Brain,
    title: strings.letAgentsRemember,
    text: strings.letAgentsRememberText,
  },
  {
    icon: Users,
    title: strings.shareIt,
    text: strings.shareItText,
  },
]

export function Landing() {
  useTitle('')
  const { data: config } = useQuery(configQuery)
  return (
    <main className="mx-auto grid min-h-dvh max-w-reading content-center gap-8 px-4 py-8 md:px-8">
      <div className="flex items-center gap-2 text-sm font-semibold">
        <Logo size={24} />
        {strings.knowledgeVault}
      </div>
      <header className="grid gap-3">
        <h1 className="text-lg font-semibold tracking-tight">{strings.slogan}</h1>
        <p className="text-base text-soft">{strings.landingLead}</p>
      </header>
      <div className="flex flex-wrap gap-2">
        <LinkButton to="/sign-in" look="primary" size="lg">
          {strings.signIn}
        </LinkButton>
        {config && config.registration !== 'closed' && (
          <LinkButton to="/sign-up" size="lg">
            {config.registration === 'invite' ? strings.haveInvitation : strings.createAnAccount}
          </LinkButton>
        )}
        {config?.public_pages && (
          <a href="/library" className={buttonClass('ghost', 'lg')}>
            {strings.readPublicLibrary}
          </a>
        )}
      </div>
      <ul className="grid gap-4 border-t border-line pt-6 sm:grid-cols-3">
        {USES.map(({ icon: Icon, title, text }) => (
          <li key={title} className="grid content-start gap-1 text-sm">
            <span className="flex items-center gap-2 font-medium">
              <Icon size={16} aria-hidden className="text-faint" />
              {title}
            </span>
            <span className="text-soft">{text}</span>
          </li>
        ))}
      </ul>
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
