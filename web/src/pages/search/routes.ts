import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../route-frame.tsx'
import { SearchPage, waitForFirstAnswers } from './search-page.tsx'
import { readSearch } from './search-state.ts'

// The home page is not split off: it is what the first load is for.
const search = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  validateSearch: readSearch,
  beforeLoad: ({ search }) => waitForFirstAnswers(search),
  component: SearchPage,
})

export const searchRoutes = [search] as const
