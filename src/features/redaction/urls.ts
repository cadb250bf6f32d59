import { isPlaceholder } from './placeholders.ts'
import { rank, type Span } from './rules/rule.ts'

const userInfo = /([^\s:/@"'`<>\\?#]{0,200}):([^\s@/"'`<>\\]{1,300})@(?=[\w[$-])/y

/** Words that stand for a password in samples of addresses. */
const sampleWords = new Set(
  'password passwd pass pwd secret pw user username token key postgres root admin guest mysql mongo redis test foo bar'.split(
    ' ',
  ),
)

/** `scheme://user:password@host`, from the end of `://`. Only the password goes. */
export function urlPassword(text: string, afterScheme: number): Span | undefined {
  userInfo.lastIndex = afterScheme
  const found = userInfo.exec(text)
  const password = found?.[2]
  if (!found || !password || sampleWords.has(password.toLowerCase()) || isPlaceholder(password))
    return undefined
  const end = found.index + found[0].length - 1
  return { start: end - password.length, end, kind: 'url_password', rank: rank.assigned }
}
