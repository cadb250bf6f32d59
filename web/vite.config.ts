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
      names.map(async (name) => {
        const content = await readFile(join(folder, name))
        const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
        await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(content, brotli))
        await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(content, { level: 9 }))
      }),
    )
  },
})

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), tailwindcss(), compressAssets()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // Nothing is inlined: the CSP allows neither data: addresses nor inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(['/api', '/mcp', '/docs', '/openapi.json'].map((path) => [path, api])),
  },
})
