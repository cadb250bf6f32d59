import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../route-frame.tsx'
import { SearchPage, waitForFirstAnswers } from './search-page.tsx'
import { readSearch } from './search-state.ts'

// The home page is not split off: the first load is made for it.
const search = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  validateSearch: readSearch,
  beforeLoad: ({ search }) => waitForFirstAnswers(search),
  component: SearchPage,
})

export const searchRoutes = [search] as const
