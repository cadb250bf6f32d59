import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const api = process.env.KVAULT_URL ?? 'http://127.0.0.1:8080'

/** Compressed once here instead of on every request: the server picks the file that the browser understands. */
const compressAssets = (): Plugin => ({
  name: 'compress-assets',
  apply: 'build',
  writeBundle: async ({ dir }) => {
    const folder = join(dir ?? 'dist', 'assets')
    const names = await readdir(folder)
    await Promise.all(
      // A font is compressed already.
      names
        .filter((name) => !name.endsWith('.woff2'))
        .map(async (name) => {
          const content = await readFile(join(folder, name))
          const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
          await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(content, brotli))
          await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(content, { level: 9 }))
        }),
    )
  },
})

/** Asks for the data of the first page: a file of its own, so that it runs before the app is there. */
const FIRST_LOAD = fileURLToPath(new URL('src/first-load/ask.ts', import.meta.url))

/**
 * Few files instead of one for every icon: over HTTP/1.1 a browser loads six at a time, and the first data would wait behind
 * them. What is named first takes a module.
 */
const FILES = [
  { name: 'first', test: /first-load\/ask\.ts$/, priority: 4 },
  { name: 'app', tags: ['$initial' as const], priority: 3 },
  { name: 'shared', test: /web\/src\/(ui|lib|api)\/|lucide-react/, minShareCount: 4, priority: 2 },
  { name: 'card', test: /pages\/cards\/card-view\.tsx$/, priority: 1 },
]

const askFirst = (): Plugin => ({
  name: 'ask-first',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const chunk = Object.values(bundle).find(
        (file) => file.type === 'chunk' && file.facadeModuleId === FIRST_LOAD,
      )
      if (!chunk) throw new Error('The build has no file for src/first-load/ask.ts.')
      const script = `<script type="module" async fetchpriority="high" src="/${chunk.fileName}"></script>`
      return html.replace('<script src="/theme.js">', `${script}\n    $&`)
    },
  },
})

/** The font of the first texts: without this it is asked for only once the style sheet has been read. */
const preloadFont = (): Plugin => ({
  name: 'preload-font',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) => {
      const font = Object.keys(bundle).find((name) => /inter-latin-wght-normal.*\.woff2$/.test(name))
      if (!font) throw new Error('The build has no file for the font.')
      const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${font}` }
      return [{ tag: 'link', injectTo: 'head-prepend', attrs }]
    },
  },
})

/** What the server answers itself while Vite serves the pages of the app: `npm start` beside `npx vite web`. */
const PROXIED = [
  '/api',
  '/app-config.json',
  '/docs',
  '/health',
  '/kvault.tgz',
  '/mcp',
  '/oauth',
  '/openapi.json',
  '/pages.css',
]

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), tailwindcss(), askFirst(), preloadFont(), compressAssets()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // Nothing is inlined: the CSP allows neither data: addresses nor inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Texts stand where they are used instead of in a file of their own.
      optimization: { inlineConst: true },
      input: [fileURLToPath(new URL('index.html', import.meta.url)), FIRST_LOAD],
      output: { codeSplitting: { groups: FILES } },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(PROXIED.map((path) => [path, api])),
  },
})
