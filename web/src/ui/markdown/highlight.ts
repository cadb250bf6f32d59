import type { LanguageFn } from 'highlight.js'
import hljs from 'highlight.js/lib/core'

type Load = () => Promise<{ default: LanguageFn }>

/** Each language is a file of its own, loaded on first use. */
const LANGUAGES: Record<string, Load> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scss: () => import('highlight.js/lib/languages/scss'),
  shell: () => import('highlight.js/lib/languages/shell'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}

export type Piece = string | { scope: string; children: Piece[] }

/** Collects the library's tokens as a tree, so that nothing passes through HTML. */
class Collector {
  readonly root: { scope: string; children: Piece[] } = { scope: '', children: [] }
  readonly #open = [this.root]

  get #top() {
    return this.#open.at(-1) as { scope: string; children: Piece[] }
  }

  addText(text: string): void {
    if (text !== '') this.#top.children.push(text)
  }

  startScope(scope: string): void {
    const piece = { scope, children: [] }
    this.#top.children.push(piece)
    this.#open.push(piece)
  }

  endScope(): void {
    if (this.#open.length > 1) this.#open.pop()
  }

  openNode(scope: string): void {
    this.startScope(scope)
  }

  closeNode(): void {
    this.endScope()
  }

  __addSublanguage(other: Collector): void {
    this.#top.children.push(...other.root.children)
  }

  finalize(): void {}

  toHTML(): string {
    return ''
  }
}

hljs.configure({ __emitter: Collector } as unknown as Parameters<typeof hljs.configure>[0])

/** Returns undefined if the language is unknown or cannot be loaded now. */
export async function highlighted(language: string, text: string): Promise<Piece[] | undefined> {
  const load = LANGUAGES[language]
  if (!load) return undefined
  if (!hljs.getLanguage(language)) {
    const loaded = await load().catch(() => undefined)
    if (!loaded) return undefined
    hljs.registerLanguage(language, loaded.default)
  }
  const { _emitter } = hljs.highlight(text, { language, ignoreIllegals: true })
  return (_emitter as unknown as Collector).root.children
}
