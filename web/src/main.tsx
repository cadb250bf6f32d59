import './lib/correct-languages.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query.ts'
import { guardAgainstDoubleClicks } from './lib/once-per-frame.ts'
import { tab } from './lib/storage.ts'
import { router } from './router.tsx'
import './styles.css'

// After an update the old page asks for files that are gone: load the new page instead, once.
addEventListener('vite:preloadError', (event) => {
  if (tab.read('kv-reloaded') === location.href) return
  tab.write('kv-reloaded', location.href)
  event.preventDefault()
  location.reload()
})

guardAgainstDoubleClicks(document)

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
