type Place = { words: Map<string, Place>; name?: Place; url?: string; methods: Set<string> }

const emptyPlace = (): Place => ({ words: new Map(), methods: new Set() })

/** `/cards/` is the address `/cards`, as it is for the router. */
const partsOf = (path: string): string[] => path.replace(/\/$/, '').split('/')

/** Which methods each address has. An address may hold names, such as `:card_id` in `/cards/:card_id`. */
export class Addresses {
  readonly #root = emptyPlace()

  add(url: string, methods: string[]): void {
    let place = this.#root
    for (const part of partsOf(url)) {
      if (part.startsWith(':')) {
        place.name ??= emptyPlace()
        place = place.name
        continue
      }
      const next = place.words.get(part) ?? emptyPlace()
      place.words.set(part, next)
      place = next
    }
    place.url ??= url
    for (const method of methods) place.methods.add(method)
  }

  /** The places that a path can mean, the one that the router prefers first: a word goes before a name. */
  *#placesAt(parts: string[], place = this.#root): Generator<Place> {
    const [part, ...rest] = parts
    if (part === undefined) {
      if (place.url !== undefined) yield place
      return
    }
    const word = place.words.get(part)
    if (word) yield* this.#placesAt(rest, word)
    if (place.name && part !== '') yield* this.#placesAt(rest, place.name)
  }

  methodsAt(path: string): ReadonlySet<string> | undefined {
    return this.#placesAt(partsOf(path)).next().value?.methods
  }

  /** Addresses that lack a method which another address has in their place: `/cards/stats`, where a card may be deleted. */
  *hiding(methods: string[]): Generator<{ url: string; hidden: string[] }> {
    for (const url of this.#urls()) {
      const [own, ...others] = this.#placesAt(partsOf(url))
      const hidden = methods.filter(
        (method) => !own?.methods.has(method) && others.some((other) => other.methods.has(method)),
      )
      if (hidden.length > 0) yield { url, hidden }
    }
  }

  *#urls(place = this.#root): Generator<string> {
    if (place.url !== undefined) yield place.url
    for (const word of place.words.values()) yield* this.#urls(word)
    if (place.name) yield* this.#urls(place.name)
  }
}
