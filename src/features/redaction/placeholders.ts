/** Words that authors of documentation put where a secret would be. */
const documentationWords =
  /example|placeholder|your[-_ ]|[-_ ]here|changeme|change[-_]me|redacted|x{5,}|\*{3,}|\.{3}|insert[-_]|replace[-_]|dummy|foobar|123456789|abcdefgh|deadbeef|0{8,}/i

/** `${X}`, `$X`, `{{x}}`, `%X%`, `<x>`, `[x]`, `process.env.X`: the name of a secret, not the secret. */
const reference = /^(?:[$%<[{(]|process\.env|os\.environ|env\.|vars?\.|secrets\.|config\.|settings\.)|[{}<>]/i

export function isPlaceholder(value: string): boolean {
  return reference.test(value) || documentationWords.test(value) || distinctCharacters(value) < 4
}

/** For credentials that are known by their look: only what is plainly a sample. */
export function isSampleToken(tail: string): boolean {
  return /example|x{6,}|\*{3,}|\.{3}|placeholder|your[-_]/i.test(tail) || distinctCharacters(tail) < 4
}

function distinctCharacters(value: string): number {
  return new Set(value).size
}

/** Shannon entropy in bits per character. */
export function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) {
    const share = count / value.length
    bits -= share * Math.log2(share)
  }
  return bits
}
