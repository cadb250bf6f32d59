/** A text whose secret is wherever a cut may be, in small steps. */
export function* acrossCuts(
  secret: string,
  filler: string,
  length: number,
  cuts: readonly number[],
): Generator<string> {
  const rest = filler.repeat(Math.ceil(length / filler.length))
  const apart = secret.includes('\n') ? '\n' : ' '
  for (const cut of cuts)
    for (let back = 0; back <= secret.length + 4; back += 9) {
      const at = cut < 0 ? length + cut - back : cut - back
      const after = rest.slice(0, Math.max(0, length - at - secret.length))
      yield [rest.slice(0, at), secret, after].join(apart)
    }
}
