import { readFileSync } from 'node:fs'

/** What the build says of each source that has a file of its own. */
type Chunk = { file: string; imports?: string[] }
export type BuildManifest = Record<string, Chunk>

const MANIFEST = new URL('../../../web/dist/.vite/manifest.json', import.meta.url)

/** The parts of the app that show a card; the app itself asks for them only once it runs. */
const SHOW_A_CARD = ['src/pages/search/detail-pane.tsx', 'src/ui/markdown/markdown.tsx']
const CARD_PAGE = ['src/pages/cards/card-page.tsx', 'src/ui/markdown/markdown.tsx']

function withImports(
  manifest: BuildManifest,
  sources: readonly string[],
  found = new Set<string>(),
): Set<string> {
  for (const source of sources) {
    const chunk = manifest[source]
    if (!chunk || found.has(source)) continue
    found.add(source)
    withImports(manifest, chunk.imports ?? [], found)
  }
  return found
}

/** Links that make a browser load these parts along with the app, not after it. */
function preloadLinks(manifest: BuildManifest, sources: readonly string[]): string {
  const app = withImports(manifest, ['index.html'])
  return [...withImports(manifest, sources)]
    .filter((source) => !app.has(source))
    .map((source) => `<link rel="modulepreload" crossorigin href="/${manifest[source]?.file}">`)
    .join('\n    ')
}

function readManifest(): BuildManifest {
  try {
    return JSON.parse(readFileSync(MANIFEST, 'utf8')) as BuildManifest
  } catch {
    return {}
  }
}

/** What the address alone tells of the page that opens: a card beside the results, or a card on a page of its own. */
export function cardPreloads(): { besideResults: string; asPage: string } {
  const manifest = readManifest()
  return {
    besideResults: preloadLinks(manifest, SHOW_A_CARD),
    asPage: preloadLinks(manifest, CARD_PAGE),
  }
}
