import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useLocation, useNavigate } from '@tanstack/react-router'
import { BookText, SearchX } from 'lucide-react'
import { type MouseEvent, useEffect } from 'react'
import { ApiError, call } from '../../api/client.ts'
import type { GuideHit, GuideSection } from '../../api/types.ts'
import { useQueryText } from '../../lib/hooks.ts'
import { useShowsCredits } from '../../session.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList, SkeletonPage } from '../../ui/states.tsx'
import * as strings from './strings.ts'

const ABOUT_MONEY = ['billing', 'credits']

const indexRoute = getRouteApi('/app/guide')
export function GuideIndex() {
  const { q = '' } = indexRoute.useSearch()
  const navigate = indexRoute.useNavigate()
  const { text, setText } = useQueryText(
    q,
    (words) => void navigate({ search: { q: words || undefined }, replace: true }),
  )
  const guide = useQuery({
    queryKey: ['guide', q],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call('GET /api/v1/guide', q ? { q } : {}, { signal }),
  })
  const showsCredits = useShowsCredits()
  const pages = guide.data?.pages.filter(({ slug }) => showsCredits || !ABOUT_MONEY.includes(slug)) ?? []
  return (
    <Page title={strings.guide} lead={strings.guideLead} narrow>
      <Input
        data-search-box=""
        type="search"
        aria-label={strings.searchTheGuide}
        placeholder={strings.searchTheGuide}
        className="mb-4"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {!guide.data && (
        <NotLoaded query={guide}>
          <SkeletonList rows={6} />
        </NotLoaded>
      )}
      {guide.data && (q ? <Hits hits={guide.data.hits} /> : <Pages pages={pages} />)}
    </Page>
  )
}

const ROW = 'block rounded-md px-2 py-2 transition-colors hover:bg-hover'

/** The pages by what somebody wants to do; a page in no group comes last. */
const GROUPS: { title: string; slugs: string[] }[] = [
  { title: strings.startHere, slugs: ['web-app', 'clients', 'cards', 'search', 'teams'] },
  {
    title: strings.forAgents,
    slugs: [
      'hooks',
      'what-arrives',
      'recall',
      'drafts',
      'agent-memory',
      'mcp',
      'tools',
      'cli',
      'agent-instructions',
    ],
  },
  {
    title: strings.sharingCards,
    slugs: ['comments', 'trust', 'staleness', 'publishing', 'safety', 'redaction', 'moderation'],
  },
  { title: strings.yourAccount, slugs: ['account', 'mail', 'credits', 'billing', 'support'] },
  {
    title: strings.runningAServer,
    slugs: ['operating', 'docker', 'backup', 'scaling', 'reliability', 'sharing-between-servers'],
  },
]

type PageName = { slug: string; title: string }

function Pages({ pages }: { pages: PageName[] }) {
  const known = new Map(pages.map((page) => [page.slug, page]))
  const named = new Set(GROUPS.flatMap(({ slugs }) => slugs))
  const groups = [
    ...GROUPS,
    {
      title: strings.reference,
      slugs: pages.map(({ slug }) => slug).filter((slug) => !named.has(slug)),
    },
  ]
  return (
    <div className="grid gap-6">
      {groups.map(({ title, slugs }) => {
        const shown = slugs.flatMap((slug) => known.get(slug) ?? [])
        return shown.length > 0 && <PageGroup key={title} title={title} pages={shown} />
      })}
    </div>
  )
}

const PageGroup = ({ title, pages }: { title: string; pages: PageName[] }) => (
  <section aria-label={title}>
    <h2 className="text-sm font-semibold">{title}</h2>
    <ul aria-label={title} className="-mx-2 grid sm:grid-cols-2">
      {pages.map(({ slug, title }) => (
        <li key={slug}>
          <Link
            to="/guide/$page"
            params={{ page: slug }}
            className={`${ROW} flex items-center gap-2 text-sm`}
          >
            <BookText size={16} aria-hidden className="shrink-0 text-faint" />
            {title}
          </Link>
        </li>
      ))}
    </ul>
  </section>
)

function Hits({ hits }: { hits: GuideHit[] }) {
  if (hits.length === 0)
    return (
      <EmptyState
        icon={<SearchX size={18} />}
        title={strings.nothingWithWords}
        action={<LinkButton to="/support">{strings.askSupport}</LinkButton>}
      >
        {strings.tryOtherWords}
      </EmptyState>
    )
  return (
    <ul aria-label={strings.sectionsFound} className="-mx-2 divide-y divide-line">
      {hits.map((hit) => (
        <li key={hit.url}>
          <Link {...guideAddress(hit.url)} className={ROW}>
            <span className="block text-sm font-medium">
              {hit.title}
              {hit.title !== hit.page && <span className="font-normal text-faint"> · {hit.page}</span>}
            </span>
            <span className="line-clamp-2 text-sm text-soft">{hit.excerpt}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

const pageRoute = getRouteApi('/app/guide/$page')

export function GuidePage() {
  const { page } = pageRoute.useParams()
  const navigate = useNavigate()
  const hash = useLocation({ select: (location) => location.hash })
  const guide = useQuery({
    queryKey: ['guide-page', page],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => call('GET /api/v1/guide/{page}', { page }, { signal }),
  })
  const isThere = guide.data !== undefined
  useEffect(() => {
    if (isThere && hash) document.getElementById(hash)?.scrollIntoView()
  }, [isThere, hash])
  // Links between guide pages stay in the frame; all others open in a new tab.
  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const href = link?.getAttribute('href') ?? ''
    if (!href.startsWith('/guide/') || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    void navigate(guideAddress(href))
  }
  if (!guide.data && guide.error instanceof ApiError && guide.error.status === 404)
    return (
      <EmptyState
        isPage
        title={strings.notFound}
        action={<LinkButton to="/guide">{strings.allPages}</LinkButton>}
      >
        {strings.noSuchPage}
      </EmptyState>
    )
  if (!guide.data)
    return (
      <NotLoaded isPage query={guide} action={<LinkButton to="/guide">{strings.allPages}</LinkButton>}>
        <SkeletonPage />
      </NotLoaded>
    )
  const [first, ...others] = guide.data.sections
  return (
    <Page title={guide.data.title} narrow back={<BackLink to="/guide">{strings.guide}</BackLink>}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only looks at clicks on the links inside */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click too */}
      <div className="grid gap-6" onClick={follow}>
        {first && first.level === 1 && first.markdown && (
          <LazyMarkdown isWrapped>{first.markdown}</LazyMarkdown>
        )}
        {(first && first.level === 1 ? others : guide.data.sections).map((section) => (
          <Section key={section.anchor} section={section} />
        ))}
      </div>
    </Page>
  )
}

function Section({ section }: { section: GuideSection }) {
  const Heading = section.level <= 2 ? 'h2' : 'h3'
  return (
    <section aria-labelledby={section.anchor}>
      <Heading
        id={section.anchor}
        className={`mb-2 scroll-mt-4 font-semibold ${section.level <= 2 ? 'text-base' : 'text-sm'}`}
      >
        {section.title}
      </Heading>
      {section.markdown && <LazyMarkdown isWrapped>{section.markdown}</LazyMarkdown>}
    </section>
  )
}

function guideAddress(url: string): { to: '/guide/$page'; params: { page: string }; hash: string } {
  const [path = '', hash = ''] = url.split('#', 2)
  return { to: '/guide/$page', params: { page: path.replace(/^\/guide\//, '') }, hash }
}
