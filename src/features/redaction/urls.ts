import { isPlaceholder } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'

const USER_INFO = /([^\s:/@"'`<>\\?#]{0,200}):([^\s@/"'`<>\\]{1,300})@(?=[\w[$-])/y

/** Words that sample addresses use as a password. */
const SAMPLE_WORDS = new Set(
  'password passwd pass pwd secret pw user username token key postgres root admin guest mysql mongo redis test foo bar'.split(
    ' ',
  ),
)

/** `scheme://user:password@host`, from the end of `://`. Only the password is replaced. */
export function urlPassword(text: string, afterScheme: number): Span | undefined {
  USER_INFO.lastIndex = afterScheme
  const found = USER_INFO.exec(text)
  const password = found?.[2]
  if (!found || !password || SAMPLE_WORDS.has(password.toLowerCase()) || isPlaceholder(password))
    return undefined
  const end = found.index + found[0].length - 1
  return { start: end - password.length, end, kind: 'url_password', rank: RANK.assigned }
}
