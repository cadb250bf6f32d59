/** `<@user_id>`: an id, and not a name, as two members may have the same one. */
const MENTION = /<@([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})>/gi

/** Who is mentioned, each once, in the order of the text. */
export const mentionedIn = (body: string): string[] => [
  ...new Set([...body.matchAll(MENTION)].map((match) => (match[1] ?? '').toLowerCase())),
]

/** The text with every mention replaced by what `write` makes of it. */
export const replaceMentions = (body: string, write: (userId: string) => string): string =>
  body.replaceAll(MENTION, (_, id: string) => write(id.toLowerCase()))
