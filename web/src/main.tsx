import './lib/correct-languages.ts'
import './first-load/ask.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query.ts'
import { setLanguage } from './lib/format.ts'
import { keepShell } from './lib/keep-shell.ts'
import { browserLanguage } from './lib/language.ts'
import { reloadAfterUpdate } from './lib/loadable.tsx'
import { keepFocusNear } from './lib/neighbour-focus.ts'
import { guardAgainstDoubleClicks } from './lib/once-per-frame.ts'
import { router } from './router.tsx'
import './styles.css'

setLanguage(browserLanguage(navigator.language))
reloadAfterUpdate()
keepShell()

guardAgainstDoubleClicks(document)
keepFocusNear(document)

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
