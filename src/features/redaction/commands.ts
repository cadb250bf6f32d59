import { isPlaceholder } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'

/** `user:password`; two slashes after the colon make it an address. */
const USER_AND_PASSWORD = `["']?[^\\s:"']{1,100}:(?!//)([^\\s"']{4,100})`

/** Before `-u`. In a command for containers this names user and group. */
const WEB_CLIENT = /(?:curl|wget|http|ftp|aria2c)(?![\s\S]{0,300}\b(?:docker|podman|nerdctl)[ -])/i

/** Commands that take a password by position, not by an operator. */
const HANDOVERS: { after: string; value: RegExp; only?: RegExp }[] = [
  { after: ' -u', value: new RegExp(`[ \\t]{0,2}${USER_AND_PASSWORD}`, 'y'), only: WEB_CLIENT },
  {
    after: ' -a',
    value: new RegExp(`[ \\t]{1,4}${USER_AND_PASSWORD}`, 'y'),
    only: /(?:^|[\s;&|$])(?:https?|xh)[ \t]/,
  },
  {
    after: ' -b',
    value: /[ \t]{0,4}["']?[\w.-]{0,40}(?:sess|sid|auth|token|jwt)[\w.-]{0,40}=([^\s"';]{8,400})/iy,
    only: /curl/i,
  },
  { after: ' -p', value: /["']?([^\s"']{6,100})/y, only: /mysql|mariadb/i },
  { after: ' -p ', value: /["']?([^\s"']{6,100})/y, only: /(?:docker|podman|registry) login/i },
  ...[' -p ', ' -P '].map((after) => ({
    after,
    value: /["']?(?!-)([^\s"']{6,100})/y,
    only: /[ \t](?:-[uUl]|--user(?:name)?|--login)[ =]?[^\s-][^\s]{0,100}(?:[ \t][^\n|;]{0,200})?$/,
  })),
  // Also `--proxy-user`.
  ...['-user ', '-user='].map((after) => ({
    after,
    value: new RegExp(USER_AND_PASSWORD, 'y'),
    only: WEB_CLIENT,
  })),
  { after: 'sshpass -p', value: /[ \t]{0,4}["']?([^\s"']{4,100})/y },
  { after: 'identified by', value: /[ \t]{1,4}["']([^\s"']{4,100})/y },
  {
    after: 'identified with',
    value: /[ \t]{1,4}["'`]?\w{1,60}["'`]?[ \t]{1,4}by[ \t]{1,4}["']([^\s"']{4,100})/iy,
  },
  {
    after: ' password ',
    value: /'([^\s"']{4,100})(?=')/y,
    only: /(?:alter|create)[ \t]{1,4}(?:user|role)[ \t][^;:\n]{1,200}$/i,
  },
  // user/password@database
  {
    after: 'sqlplus ',
    value: /(?:-\w{1,8}[ \t]{1,4}){0,3}["']?[\w$#.]{1,60}\/"?([^\s"'@]{4,100})(?="?@)/y,
  },
  ...['impdp ', 'expdp ', 'sqlldr ', 'rman target ', 'sqlcl '].map((after) => ({
    after,
    value: /["']?[\w$#.]{1,60}\/"?([^\s"'@]{4,100})(?="?@)/y,
  })),
  { after: 'oracle:thin:', value: /[\w$#.]{1,60}\/"?([^\s"'@/]{4,100})(?="?@)/y },
  {
    after: 'login ',
    value: /[^\s]{1,100}\s{1,20}password\s{1,20}([^\s"']{4,100})/y,
    only: /machine|default/i,
  },
  { after: '*:*:*:', value: /[^\s:]{1,100}:([^\s:]{4,100})/y, only: /(?:^|[\s"'`])\*:\*:\*:$/ },
  { after: ':5432:', value: /[^\s:]{1,100}:[^\s:]{1,100}:([^\s:]{4,100})/y },
]

export const handoverKeywords = HANDOVERS.map(({ after }) => after)

export function handedOver(text: string, end: number, index: number): Span | undefined {
  const handover = HANDOVERS[index]
  if (!handover) return undefined
  handover.value.lastIndex = end
  const found = handover.value.exec(text)
  // `user:password@host` without a scheme.
  const password = found?.[1]?.replace(/@[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}$/, '')
  if (!found || !password || isPlaceholder(password) || !/[A-Za-z]/.test(password)) return undefined
  if (handover.only && !handover.only.test(text.slice(Math.max(0, end - 300), end))) return undefined
  const start = found.index + found[0].length - (found[1] as string).length
  return { start, end: start + password.length, kind: 'password', rank: RANK.assigned }
}
