import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { BookText, SearchX } from 'lucide-react'
import { type GuideHit, listGuide } from '../../api/guide.ts'
import { useQueryText } from '../../lib/use-query-text.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { guideAddress } from './guide-address.ts'

const route = getRouteApi('/app/guide')
/** All pages of the guide; with words in the box, the sections that answer them. */
export function GuideIndex() {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { text, setText } = useQueryText(
    q,
    (words) => void navigate({ search: { q: words || undefined }, replace: true }),
  )
  const guide = useQuery({
    queryKey: ['guide', q],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => listGuide(q ? { q } : {}, { signal }),
  })
  return (
    <Page title="Guide" lead="How to use each part, with the address of this vault filled in." narrow>
      <Input
        data-search-box=""
        type="search"
        aria-label="Search the guide"
        placeholder="Search the guide"
        className="mb-4"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {!guide.data && (
        <NotLoaded query={guide}>
          <SkeletonList rows={6} />
        </NotLoaded>
      )}
      {guide.data && (q ? <Hits hits={guide.data.hits} /> : <Pages pages={guide.data.pages} />)}
    </Page>
  )
}

const ROW = 'block rounded-md px-2 py-2 transition-colors hover:bg-hover'

const Pages = ({ pages }: { pages: { slug: string; title: string }[] }) => (
  <ul aria-label="Pages of the guide" className="-mx-2 grid sm:grid-cols-2">
    {pages.map(({ slug, title }) => (
      <li key={slug}>
        <Link to="/guide/$page" params={{ page: slug }} className={`${ROW} flex items-center gap-2 text-sm`}>
          <BookText size={16} aria-hidden className="shrink-0 text-faint" />
          {title}
        </Link>
      </li>
    ))}
  </ul>
)

function Hits({ hits }: { hits: GuideHit[] }) {
  if (hits.length === 0)
    return (
      <EmptyState
        icon={<SearchX size={18} />}
        title="The guide has nothing with these words"
        action={<LinkButton to="/support">Ask support</LinkButton>}
      >
        Try other words, or ask in your own.
      </EmptyState>
    )
  return (
    <ul aria-label="Sections found" className="-mx-2 divide-y divide-line">
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
