/** Matches `<@user_id>`. An id, because two members may have the same name. */
const MENTION = /<@([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})>/gi

export const mentionedIn = (body: string): string[] => [
  ...new Set([...body.matchAll(MENTION)].map((match) => (match[1] ?? '').toLowerCase())),
]

export const replaceMentions = (body: string, write: (userId: string) => string): string =>
  body.replaceAll(MENTION, (_, id: string) => write(id.toLowerCase()))
