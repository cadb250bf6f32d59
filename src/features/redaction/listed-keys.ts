import { isPlaceholder, isPlainlyRandom, looksRandom } from './placeholders.ts'

const NEXT = /,([A-Za-z0-9_+/.~-]{16,400}={0,2})(?=[\s"'`;,)\]}\\<&]|$)/y

/** Keys of one list mostly have one length; any other must be random beyond doubt. */
const isKey = (value: string, length: number): boolean =>
  !isPlaceholder(value) && (value.length === length ? looksRandom(value) : isPlainlyRandom(value))

/** Where the list ends that begins with the key before `end`: `APP_KEYS=…,…,…`. */
export function endOfList(text: string, end: number, length: number): number {
  let last = end
  for (;;) {
    NEXT.lastIndex = last
    const next = NEXT.exec(text)?.[1]
    if (next === undefined || !isKey(next, length)) return last
    last = NEXT.lastIndex
  }
}
