import { plainName, withoutLinks } from '../../core/untrusted-text.ts'
import { beginningOf } from '../../text/unicode.ts'

/** The kinds of notices. A new kind needs a text here and actions in the web app. */
export const NOTICE_KINDS = [
  'workspace.added',
  'workspace.invited',
  'workspace.joined',
  'workspace.role_changed',
  'workspace.removed',
  'workspace.deleted',
  'account.address_proved',
  'account.google_linked',
  'cards.review_due',
  'ticket.answered',
  'drafts.new',
  'card.feedback',
  'card.commented',
  'card.mentioned',
  'card.replaced',
  'card.hidden',
  'card.moderated',
  'publisher.ban_lifted',
  'moderation.waiting',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

export type NoticeDetails = {
  /** Left out for former members of a private workspace, whose name only members may know. */
  workspace_name?: string
  role?: string
  said?: Said
  decision?: Decided
  reason?: string
  banned?: boolean
  unbanned?: boolean
  /** Its text is looked up for each reader, as long as it is there. */
  comment_id?: string
}

const SAID = {
  worked: (actor: string, card: string) => `Worked for ${actor}: ${card}`,
  failed: (actor: string, card: string) => `Failed for ${actor}: ${card}`,
  stale: (actor: string, card: string) => `${actor} calls ${card} outdated`,
} as const
export type Said = keyof typeof SAID

const DECIDED = {
  keep: 'looked at it and kept it',
  hide: 'hid it from everybody but you',
  remove: 'removed it from where it was published',
} as const
type Decided = keyof typeof DECIDED

/** Kinds about a card: their subject is the card id, and the title is looked up for each reader. */
const ABOUT_CARDS: readonly NoticeKind[] = [
  'card.feedback',
  'card.commented',
  'card.mentioned',
  'card.replaced',
  'card.hidden',
  'card.moderated',
]
export const isAboutCard = (kind: NoticeKind): boolean => ABOUT_CARDS.includes(kind)

type Words = { heading: string; line: string }
type NoticeInput = NoticeDetails & {
  actor: string
  card_title?: string | undefined
  /** The comment or the note that it is about. No mail has it, so it may contain links. */
  quote?: string | undefined
}
type Named = {
  actor: string
  workspace_name: string
  hasLeft: boolean
  role: string
  card: string
  said: Said | undefined
  quote: string | undefined
  decided: string
  reason: string
}

const WORDS: Record<NoticeKind, (given: Named) => Words> = {
  'workspace.added': ({ actor, workspace_name, role }) => ({
    heading: `${actor} added you to ${workspace_name}`,
    line: `Your role there is ${role}. What its members share appears in your team search. You can leave at any time.`,
  }),
  'workspace.invited': ({ actor, workspace_name, role }) => ({
    heading: `${actor} invites you to ${workspace_name}`,
    line: `Your role would be ${role}. Nothing happens unless you accept.`,
  }),
  'workspace.joined': ({ actor, workspace_name, role }) => ({
    heading: `${actor} joined ${workspace_name}`,
    line: `They accepted your invitation. Their role there is ${role}.`,
  }),
  'workspace.role_changed': ({ actor, workspace_name, role }) => ({
    heading: `${actor} changed your role in ${workspace_name}`,
    line: `Your role there is now ${role}.`,
  }),
  'workspace.removed': ({ actor, workspace_name }) => ({
    heading: `${actor} removed you from ${workspace_name}`,
    line: 'You no longer find what its members share. Cards that you recorded stay yours.',
  }),
  'workspace.deleted': ({ actor, workspace_name, hasLeft }) => ({
    heading: hasLeft
      ? 'A workspace that you left was deleted'
      : `${actor} deleted the workspace ${workspace_name}`,
    line: 'Cards of yours that were there are under “My cards”, unpublished.',
  }),
  'cards.review_due': () => ({
    heading: 'Some of your cards should be looked at again',
    line: 'Nobody has confirmed them for longer than their review interval. Confirm them, change them, or replace them by other cards.',
  }),
  'ticket.answered': () => ({
    heading: 'Support answered your ticket',
    line: 'You find the answer under “Support”, “My tickets”, and can write back there.',
  }),
  'drafts.new': () => ({
    heading: 'Something you solved could become a card',
    line: 'A command failed, something was changed, and it worked. The draft is yours alone: accept it, change it or dismiss it.',
  }),
  'card.feedback': ({ actor, card, said, quote }) => ({
    heading: said ? SAID[said](actor, card) : `${actor} said something about ${card}`,
    line: quoted(quote, 'The card shows everything that was said.'),
  }),
  'card.commented': ({ actor, card, quote }) => ({
    heading: `${actor} commented on ${card}`,
    line: quoted(quote, 'The thread is below the card.'),
  }),
  'card.mentioned': ({ actor, card, quote }) => ({
    heading: `${actor} mentioned you on ${card}`,
    line: quoted(quote, 'The thread is below the card.'),
  }),
  'card.replaced': ({ actor, card }) => ({
    heading: `${actor} put another card in the place of ${card}`,
    line: 'Search shows the other card instead. The page of yours leads to it, and there you can take yours back.',
  }),
  'card.hidden': ({ card }) => ({
    heading: `Reports have hidden ${card}`,
    line: 'Several people who are not connected with each other reported it. Only you can read it until a moderator decides. You will be told the decision.',
  }),
  'card.moderated': ({ card, decided, reason }) => ({
    heading: `A moderator decided about ${card}`,
    line: `They ${decided}. Reason: ${asSentence(reason)} The page of the card says what you can do.`,
  }),
  'publisher.ban_lifted': ({ workspace_name, reason }) => ({
    heading: `You may publish in ${workspace_name} again`,
    line: `A moderator lifted your ban. Reason: ${asSentence(reason)} Cards that were hidden or removed stay so.`,
  }),
  'moderation.waiting': ({ workspace_name }) => ({
    heading: `A card waits for a moderator in ${workspace_name}`,
    line: 'Somebody reported it, its owner asks about it, or there is an appeal.',
  }),
  'account.address_proved': () => ({
    heading: 'Your address is confirmed, and everybody else is signed out',
    line: 'Before that, somebody else may have used this account. Look through its cards, memory and teams, and delete what is not yours.',
  }),
  'account.google_linked': () => ({
    heading: 'A Google account with your address was linked with your account',
    line: 'It signs in here from now on. If that was not you, reset your password: this ends the link, and all other access.',
  }),
}

const quoted = (quote: string | undefined, otherwise: string): string => (quote ? `“${quote}”` : otherwise)

const asSentence = (text: string): string => (/[.!?…。！？]["'”’»)\]]*$/u.test(text) ? text : `${text}.`)

function banWords({ banned = false, unbanned = false }: Pick<NoticeDetails, 'banned' | 'unbanned'>): string {
  if (banned) return ', and banned you from publishing'
  return unbanned ? ', and lifted your ban from publishing' : ''
}

const MAX_TITLE_LENGTH = 120
const MAX_REASON_LENGTH = 500
const MAX_QUOTE_LENGTH = 240

const shortLine = (text: string, longest: number): string => beginningOf(plainName(text), longest)

const titleWords = (title: string | undefined): string =>
  title === undefined ? 'a card' : `“${shortLine(title, MAX_TITLE_LENGTH)}”`

/** Writes names so that no mail program turns them into links. */
export function noticeText(
  kind: NoticeKind,
  { actor, workspace_name, role, card_title, said, quote, decision, reason, banned, unbanned }: NoticeInput,
): Words {
  return WORDS[kind]({
    actor: withoutLinks(actor),
    workspace_name: withoutLinks(workspace_name ?? 'a workspace'),
    hasLeft: workspace_name === undefined,
    role: role ?? 'viewer',
    card: titleWords(card_title),
    said,
    quote: quote === undefined ? undefined : shortLine(quote, MAX_QUOTE_LENGTH),
    decided: `${decision ? DECIDED[decision] : 'decided about it'}${banWords({ banned, unbanned })}`,
    reason: withoutLinks(shortLine(reason ?? '', MAX_REASON_LENGTH)),
  })
}
