import { mentionedIn, replaceMentions } from '#server/shared/mentions.ts'

export type Person = { user_id: string; name: string }

/** The text after an @, up to the caret; null if the person types something else. */
export function mentionTyped(text: string, caret: number): { start: number; typed: string } | null {
  const start = text.lastIndexOf('@', caret - 1)
  if (start < 0 || (start > 0 && /[\p{L}\p{N}]/u.test(text[start - 1] ?? ''))) return null
  const typed = text.slice(start + 1, caret)
  return typed.length <= 40 && !/[\n@]/.test(typed) ? { start, typed } : null
}

const MOST_SHOWN = 6

/** People whose name, or one word of it, begins with the typed text. */
export function peopleLike(people: readonly Person[], typed: string): Person[] {
  const wanted = typed.toLowerCase()
  const isLike = ({ name }: Person) => {
    const lower = name.toLowerCase()
    return lower.startsWith(wanted) || lower.split(/\s+/).some((word) => word.startsWith(wanted))
  }
  return people.filter(isLike).slice(0, MOST_SHOWN)
}

const isWordSign = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign)

/**
 * The text as it is stored: `@Name` of a member becomes their id. Longer names are tried first, so that "Ann Lee" is not read
 * as "Ann". Of two members with the same name, the one who was chosen last is meant.
 */
export function asStored(text: string, people: readonly Person[], chosen: readonly Person[]): string {
  const ids = new Map([...people, ...chosen].map(({ name, user_id }) => [name, user_id]))
  const names = [...ids.keys()].filter(Boolean).sort((a, b) => b.length - a.length)
  let stored = ''
  for (let at = 0; at < text.length; ) {
    const name =
      text[at] === '@' && !isWordSign(text[at - 1])
        ? names.find((one) => text.startsWith(one, at + 1) && !isWordSign(text[at + 1 + one.length]))
        : undefined
    stored += name === undefined ? text[at] : `<@${ids.get(name)}>`
    at += name === undefined ? 1 : name.length + 1
  }
  return stored
}

type Mentioned = readonly { user_id: string; display_name: string }[]

const nameIn = (mentions: Mentioned, userId: string) =>
  mentions.find((one) => one.user_id === userId)?.display_name ?? 'somebody'

/** Whom a stored text mentions, also those who have left since: they stay mentioned when it is changed. */
export const peopleIn = (body: string, mentions: Mentioned): Person[] =>
  mentionedIn(body).map((user_id) => ({ user_id, name: nameIn(mentions, user_id) }))

/** The text as its author typed it. */
export const asTyped = (body: string, mentions: Mentioned): string =>
  replaceMentions(body, (id) => `@${nameIn(mentions, id)}`)

/** The text as Markdown, with names in bold; nothing in a name is taken for Markdown. */
export const asMarkdown = (body: string, mentions: Mentioned): string =>
  replaceMentions(
    body,
    (id) => `**@${nameIn(mentions, id).replaceAll(/[\\`*_{}[\]()#+.!|<>~&:-]/g, '\\$&')}**`,
  )
