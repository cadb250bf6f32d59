/**
 * For tests: no text in this repository looks like a secret, so samples are made from the published format
 * when they are needed. The same seed gives the same samples: what fails once fails again.
 */
export function sampler(seed: number): Sampler {
  const below = seededNumbers(seed)
  const randomFrom = (alphabet: string, length: number) => {
    let text = ''
    for (let drawn = 0; drawn < length; drawn += 1) text += alphabet[below(alphabet.length)]
    return text
  }
  return {
    randomFrom,
    sampleOf(pattern) {
      const whole = wholeOf(pattern.source, pattern.flags.replace('y', ''))
      for (let attempt = 0; attempt < 2000; attempt += 1) {
        const sample = new Generator(pattern.source, below, randomFrom).alternatives()
        if (whole.exec(sample)?.[0] === sample) return sample
      }
      throw new Error(`no sample of ${pattern.source}`)
    },
  }
}

/** Patterns and alphabets are made once: there are few, and each sample has dozens of characters. */
function once<T>(make: (...parts: string[]) => T): (...parts: string[]) => T {
  const made = new Map<string, T>()
  return (...parts) => {
    const key = parts.join('\n')
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(...parts)
    made.set(key, value)
    return value
  }
}

const wholeOf = once((source = '', flags = '') => new RegExp(`^(?:${source})`, flags))

const alphabetOf = once((body = '') => (body.startsWith('^') ? excluding(body.slice(1)) : expand(body)))

export type Sampler = {
  randomFrom(alphabet: string, length: number): string
  /** A random text of the given pattern: the small part of the syntax that credential formats use. */
  sampleOf(pattern: RegExp): string
}

/** Numbers below a limit, by the generator that is known as mulberry32. */
function seededNumbers(seed: number): (limit: number) => number {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const REPETITIONS = /\{(\d+)(?:,(\d+))?\}|\?/y

class Generator {
  private readonly source: string
  private readonly below: (limit: number) => number
  private readonly randomFrom: Sampler['randomFrom']
  private at = 0

  constructor(source: string, below: (limit: number) => number, randomFrom: Sampler['randomFrom']) {
    this.source = source
    this.below = below
    this.randomFrom = randomFrom
  }

  alternatives(): string {
    const branches = [this.sequence()]
    while (this.source[this.at] === '|') {
      this.at += 1
      branches.push(this.sequence())
    }
    return branches[this.below(branches.length)] ?? ''
  }

  private sequence(): string {
    let text = ''
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')') {
      const from = this.at
      let piece = this.atom()
      const end = this.at
      const times = this.repetitions()
      const after = this.at
      if (times === 0) piece = ''
      for (let count = 1; count < times; count += 1) {
        this.at = from
        piece += this.atom()
        this.at = end
      }
      this.at = after
      text += piece
    }
    return text
  }

  private repetitions(): number {
    REPETITIONS.lastIndex = this.at
    const found = REPETITIONS.exec(this.source)
    if (!found) return 1
    this.at += found[0].length
    if (found[0] === '?') return this.below(2)
    const least = Number(found[1])
    const most = Math.min(Number(found[2] ?? found[1]), least + 40)
    return least + this.below(most - least + 1)
  }

  private atom(): string {
    const character = this.source[this.at] ?? ''
    if (character === '(') return this.group()
    if (character === '[') return this.characterClass()
    if (character === '$') {
      this.at += 1
      return ''
    }
    if (character === '\\') {
      const escaped = this.source[this.at + 1] ?? ''
      this.at += 2
      return escaped === 'd' ? this.randomFrom('0123456789', 1) : escaped
    }
    this.at += 1
    return character
  }

  private group(): string {
    const look = /^\(\?[=!]/.test(this.source.slice(this.at))
    this.at += this.source.startsWith('(?', this.at) ? 3 : 1
    const text = this.alternatives()
    this.at += 1
    return look ? '' : text
  }

  private characterClass(): string {
    const end = this.classEnd()
    const body = this.source.slice(this.at + 1, end)
    this.at = end + 1
    return this.randomFrom(alphabetOf(body), 1)
  }

  private classEnd(): number {
    let end = this.at + 1
    while (this.source[end] !== ']') end += this.source[end] === '\\' ? 2 : 1
    return end
  }
}

function expand(body: string): string {
  let alphabet = ''
  for (let at = 0; at < body.length; at += 1) {
    let character = body[at] ?? ''
    if (character === '\\') {
      at += 1
      character = body[at] ?? ''
      alphabet += character === 'w' ? expand('A-Za-z0-9_') : character === 'd' ? '0123456789' : character
      continue
    }
    const last = body[at + 2]
    if (body[at + 1] === '-' && last !== undefined) {
      for (let code = character.charCodeAt(0); code <= last.charCodeAt(0); code += 1) {
        alphabet += String.fromCharCode(code)
      }
      at += 2
      continue
    }
    alphabet += character
  }
  return alphabet
}

function excluding(body: string): string {
  const excluded = expand(body.replaceAll('\\s', ' ').replaceAll('\\n', ''))
  return Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))
    .filter((character) => !excluded.includes(character))
    .join('')
}
