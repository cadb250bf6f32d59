import { DISTRIBUTION } from '../../src/db/distribution.ts'

const COLUMN_OF = new Map<string, string>(Object.entries(DISTRIBUTION))

const tablesIn = (statement: string) =>
  [...statement.matchAll(/\b(?:from|join|into|update)\s+"?(\w+)"?/g)].map((match) => match[1] as string)

/** Bound to a value, or to a list of values: the statement then goes only to the shards that have them. */
const isBound = (statement: string, column: string) =>
  new RegExp(`\\b${column}"?\\s*(?:=|in)\\s*(?:\\(\\s*)?(?:\\$\\d|any)`).test(statement)

const insertsWith = (statement: string, column: string) =>
  new RegExp(`^\\s*insert into "?\\w+"?(?: as \\w+)? \\([^)]*\\b${column}\\b`).test(statement)

/** The distributed tables that a statement reaches in every shard, for want of their column. */
export function tablesReachedEverywhere(sent: string): string[] {
  const statement = sent.replace(/^\/\* [^*]* \*\/\s*/, '')
  const distributed = tablesIn(statement).filter((table) => {
    const column = COLUMN_OF.get(table)
    return column !== undefined && column !== 'reference' && column !== 'single'
  })
  return [...new Set(distributed)].filter((table) => {
    const column = COLUMN_OF.get(table) ?? ''
    return !isBound(statement, column) && !insertsWith(statement, column)
  })
}

type Reach = { by: readonly string[]; why: string }

/** Every statement that reaches a distributed table in all its shards: who asks, and why that is right or what it takes. */
export const REACHED_EVERYWHERE: Record<string, Reach> = {
  cards: {
    by: [
      'account.delete',
      'account.me',
      'cards.cites',
      'cards.delete',
      'cards.list',
      'cards.merge',
      'cards.move',
      'cards.publish',
      'cards.review_queue',
      'cards.share',
      'cards.stats',
      'cards.undelete',
      'cards.unpublish',
      'cases.list',
      'drafts.offer',
      'first_steps.dismiss',
      'first_steps.read',
      'library.import',
      'library.pulled',
      'memory.names',
      'recall',
      'samples.add',
      'samples.remove',
      'search.box',
      'search.cards',
      'sharing.choose',
      'sharing.read',
      'sharing.share_earlier',
      'team.week',
      'workspaces.delete',
      'workspaces.preview_deletion',
    ],
    why: 'Lists and counts of a person, a team or the library: each shard answers with at most one page or one row. A card whose readers change marks those that it has replaced, by an index. What is opened to strangers is compared with the newest texts that were withdrawn, by an index. Whether the library has a card of others is asked by an index, for one row from each shard, at most every 15 seconds for a person. A workspace is seldom deleted.',
  },
  card_tags: {
    by: ['cards.stats', 'cases.list'],
    why: 'Counted and filtered beside the cards, in the same shard, and added up.',
  },
  card_feedback: {
    by: ['feedback.give'],
    why: 'How many rewards this giver caused today: an index look-up in each shard, once per first “useful”.',
  },
  card_verdicts: {
    by: [
      'cards.merge',
      'cards.unmerge',
      'cards.verify',
      'cards.withdraw_verdicts',
      'effects.days',
      'effects.read',
      'feedback.give',
      'feedback.withdraw',
      'team.week',
    ],
    why: 'How many cards of an owner a person has judged, and whether an owner has praised those who judge: an index look-up in each shard. The figures of recall count the verdicts on delivered cards, when somebody opens that page.',
  },
  card_comments: { by: ['account.delete'], why: 'By author, when an account goes.' },
  card_reads: { by: ['account.delete'], why: 'By card, when a card goes for good.' },
  withdrawals_told: { by: ['account.delete'], why: 'The same.' },
  card_links: {
    by: ['cards.link', 'cards.links', 'cards.review_queue', 'cards.unlink', 'cards.unmerge', 'team.week'],
    why: 'Links in the other direction: an index look-up in each shard, when somebody opens them, makes one or takes one away.',
  },
  card_merges: {
    by: [
      'cards.get',
      'cards.merge',
      'cards.unmerge',
      'cards.verdicts',
      'cards.verify',
      'cards.withdraw_verdicts',
      'feedback.give',
      'feedback.list',
      'feedback.withdraw',
    ],
    why: 'Which cards were merged into this one: an index look-up in each shard, when it is opened or judged.',
  },
  search_docs: {
    by: [
      'cards.publish',
      'cards.similar',
      'cards.similar_to_draft',
      'drafts.offer',
      'library.import',
      'recall',
      'search.box',
      'search.cards',
      'workspaces.delete',
    ],
    why: 'Search is scatter and gather: the cards that the posting lists name are read by number, a few from each shard. Deleting a workspace marks its cards in the shard that has them.',
  },
  search_vectors: {
    by: ['search.box', 'search.cards'],
    why: 'Only where a model is configured: joined with the cards of the scope, in the same shard.',
  },
  search_runs: {
    by: ['cards.publish', 'cards.similar', 'cards.similar_to_draft', 'drafts.offer', 'library.import'],
    why: 'Every run is asked for the lists of a few words: each shard answers for the runs it has. Searches of large scopes do the same.',
  },
  search_postings: {
    by: ['cards.publish', 'cards.similar', 'cards.similar_to_draft', 'drafts.offer', 'library.import'],
    why: 'Joined with its runs, which lie in the same shard.',
  },
  raw_materials: {
    by: ['account.delete', 'materials.list', 'workspaces.delete', 'workspaces.preview_deletion'],
    why: 'Lists of a person and their teams; each shard answers with at most one page.',
  },
  api_keys: {
    by: [
      'account.change_password',
      'account.delete',
      'account.sign_out_everywhere',
      'first_steps.dismiss',
      'first_steps.read',
      'keys.create',
      'keys.delete',
      'keys.end_current',
      'keys.list',
      'keys.update',
      'members.remove',
      'sharing.choose',
    ],
    why: 'By owner: seldom, and by index. The look-up of every request is by hash.',
  },
  sessions: {
    by: [
      'account.change_email',
      'account.change_password',
      'account.delete',
      'account.logout',
      'account.sign_out_everywhere',
      'keys.create',
      'keys.update',
      'sessions.end',
      'sessions.list',
      'workspaces.create',
    ],
    why: 'By owner or id: seldom, and by index. The look-up of every request is by hash.',
  },
}

/** Not played by everything.ts: they need a mail, a file, a provider or a service admin, or have no distributed table. */
export const NOT_PLAYED = [
  'account.delete_by_password',
  'account.google',
  'account.request_reset',
  'account.resend_verification',
  'account.reset_password',
  'account.verify_email',
  'apps.disconnect',
  'apps.list',
  'audit.all',
  'billing.checkout',
  'billing.credit_packs',
  'billing.credits_checkout',
  'billing.plans',
  'billing.portal',
  'billing.simulate_upgrade',
  'cards.delete_image',
  'cards.report',
  'cards.reportable',
  'credits.policy',
  'credits.reconcile',
  'guide.one_page',
  'guide.pages',
  'guide.read',
  'guide.tool',
  'health.live',
  'health.ready',
  'invites.accept',
  'keys.create_for_agent',
  // Commits are there once a job has read them.
  'memory.delete_commit',
  'moderation.appeal',
  'moderation.ask',
  'moderation.bans',
  'moderation.decide',
  'moderation.get',
  'moderation.lift_ban',
  'moderation.list',
  'moderation.of_card',
  'server_settings.change',
  'server_settings.read',
  'service.warnings',
  'support.chat',
  'support.close_ticket',
  'support.get_ticket',
  'support.list_tickets',
  'support.my_tickets',
  'support.reply',
]
