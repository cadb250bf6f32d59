import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useLocation, useNavigate } from '@tanstack/react-router'
import { type MouseEvent, useEffect } from 'react'
import { ApiError } from '../../api/client.ts'
import { type GuideSection, readGuidePage } from '../../api/guide.ts'
import { LinkButton } from '../../ui/button.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { guideAddress } from './guide-address.ts'

const route = getRouteApi('/app/guide/$page')

/** One page of the guide, by sections; a link to a section scrolls to it once the page is loaded. */
export function GuidePage() {
  const { page } = route.useParams()
  const navigate = useNavigate()
  const hash = useLocation({ select: (location) => location.hash })
  const guide = useQuery({
    queryKey: ['guide-page', page],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readGuidePage({ page }, { signal }),
  })
  const isThere = guide.data !== undefined
  useEffect(() => {
    if (isThere && hash) document.getElementById(hash)?.scrollIntoView()
  }, [isThere, hash])
  // Links between the pages of the guide stay in the frame; the Markdown opens all others in a new tab.
  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const href = link?.getAttribute('href') ?? ''
    if (!href.startsWith('/guide/') || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    void navigate(guideAddress(href))
  }
  if (!guide.data && guide.error instanceof ApiError && guide.error.status === 404)
    return (
      <EmptyState isPage title="Not found" action={<LinkButton to="/guide">All pages</LinkButton>}>
        The guide has no such page.
      </EmptyState>
    )
  if (!guide.data)
    return (
      <NotLoaded isPage query={guide} action={<LinkButton to="/guide">All pages</LinkButton>}>
        <SkeletonPage />
      </NotLoaded>
    )
  const [first, ...others] = guide.data.sections
  return (
    <Page title={guide.data.title} narrow back={<BackLink to="/guide">Guide</BackLink>}>
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
