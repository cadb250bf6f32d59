type Branch = { words: Map<string, Branch>; name?: Branch; url?: string; methods: Set<string> }

const emptyBranch = (): Branch => ({ words: new Map(), methods: new Set() })

/** `/cards/` is the address `/cards`, as it is for the router. */
const partsOf = (path: string): string[] => path.replace(/\/$/, '').split('/')

/** Which methods each address has. An address may hold names, such as `:card_id` in `/cards/:card_id`. */
export class Addresses {
  readonly #root = emptyBranch()

  add(url: string, methods: string[]): void {
    let branch = this.#root
    for (const part of partsOf(url)) {
      if (part.startsWith(':')) {
        branch.name ??= emptyBranch()
        branch = branch.name
        continue
      }
      const next = branch.words.get(part) ?? emptyBranch()
      branch.words.set(part, next)
      branch = next
    }
    branch.url ??= url
    for (const method of methods) branch.methods.add(method)
  }

  /** The branches that a path can mean, the one that the router prefers first: a word goes before a name. */
  *#branchesAt(parts: string[], branch = this.#root): Generator<Branch> {
    const [part, ...rest] = parts
    if (part === undefined) {
      if (branch.url !== undefined) yield branch
      return
    }
    const word = branch.words.get(part)
    if (word) yield* this.#branchesAt(rest, word)
    if (branch.name && part !== '') yield* this.#branchesAt(rest, branch.name)
  }

  methodsAt(path: string): ReadonlySet<string> | undefined {
    return this.#branchesAt(partsOf(path)).next().value?.methods
  }

  /** Addresses that lack a method which another address has in their stead: `/cards/stats`, where a card may be deleted. */
  *hiding(methods: string[]): Generator<{ url: string; hidden: string[] }> {
    for (const url of this.#urls()) {
      const [own, ...others] = this.#branchesAt(partsOf(url))
      const hidden = methods.filter(
        (method) => !own?.methods.has(method) && others.some((other) => other.methods.has(method)),
      )
      if (hidden.length > 0) yield { url, hidden }
    }
  }

  *#urls(branch = this.#root): Generator<string> {
    if (branch.url !== undefined) yield branch.url
    for (const word of branch.words.values()) yield* this.#urls(word)
    if (branch.name) yield* this.#urls(branch.name)
  }
}
