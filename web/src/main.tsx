import './lib/correct-languages.ts'
import './first-load/ask.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query.ts'
import { keepFocusNear } from './lib/focus.ts'
import { setLanguage } from './lib/format.ts'
import { browserLanguage } from './lib/language.ts'
import { reloadAfterUpdate } from './lib/loadable.tsx'
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

/** Registers the service worker, which opens the app even while the server is unreachable. */
function keepShell(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  addEventListener('load', () => void navigator.serviceWorker.register('/sw.js').catch(() => {}))
}
