import type { EngineName } from '../db.ts'
import { PUBLIC_LIBRARY_ID, PUBLIC_LIBRARY_NAME } from '../ids.ts'
import {
  appendOnly,
  bytes,
  counter,
  keptWithCard,
  largeSum,
  type Migration,
  primaryKey,
} from './statements.ts'

/** All tables as a new vault starts with them, by subject. */
export const initial: Migration = {
  name: '0001-initial',
  statements: (engine) => [
    ...(engine === 'postgres' ? REFUSALS : []),
    ...users(),
    ...workspaces(),
    ...credentials(engine),
    ...oauth(),
    ...credits(engine),
    ...cards(engine),
    ...partsOfCards(engine),
    ...opinionsOnCards(engine),
    ...linksOfCards(engine),
    ...images(engine),
    ...moderation(engine),
    ...library(),
    ...searchIndex(engine),
    ...searches(engine),
    ...memory(engine),
    ...memoryIndex(engine),
    ...materials(),
    ...recall(engine),
    ...mining(engine),
    ...billing(),
    ...devPayments(),
    ...support(),
    ...notices(engine),
    ...operations(engine),
  ],
}

/** A card named in a row that lies elsewhere on a cluster, where a foreign key cannot reach across. */
const cardElsewhere = (engine: EngineName): string => (engine === 'sqlite' ? 'references cards(card_id)' : '')

/** The card of rows that stay as long as it does. PostgreSQL removes them by the foreign key alone, see `keptWithCard`. */
const cardOfKeptRow = (engine: EngineName): string =>
  engine === 'sqlite' ? 'references cards(card_id)' : 'references cards(card_id) on delete cascade'

/** The trigger functions of PostgreSQL. Each reads only its own row, so that it works on a shard. */
const REFUSALS = [
  `create function refuse_change() returns trigger language plpgsql as
    $$ begin raise exception '% is append-only', tg_table_name; end $$`,
  // A deletion by a foreign key runs inside the trigger of that key.
  `create function refuse_unless_card_goes() returns trigger language plpgsql as
    $$ begin
      if tg_op = 'DELETE' and pg_trigger_depth() > 1 then return old; end if;
      raise exception '% is append-only', tg_table_name;
    end $$`,
  `create function refuse_unless_deleted() returns trigger language plpgsql as
    $$ begin raise exception 'a card goes only after it was deleted'; end $$`,
]

const users = (): string[] => [
  `create table users (
    user_id text primary key,
    email text,
    email_normal text unique,
    password_hash text,
    google_subject text unique,
    display_name text not null,
    email_verified integer not null default 0,
    onboarding text,
    plan text not null default 'free',
    settings text not null,
    personal_workspace_id text not null,
    created_at text not null, updated_at text not null, deleted_at text,
    service_admin integer not null default 0
  )`,
  'create index users_deleted on users(deleted_at) where deleted_at is not null',
  `create table first_steps (
    user_id text primary key references users(user_id),
    searched_at text, dismissed_at text
  )`,
  // How many bytes of text each person has written.
  `create table text_usage (user_id text primary key, bytes bigint not null, deleted_bytes bigint not null)`,
]

const workspaces = (): string[] => [
  `create table workspaces (
    workspace_id text primary key,
    name text not null,
    type text not null check (type in ('org', 'personal', 'team', 'system')),
    visibility text not null check (visibility in ('private', 'unlisted', 'public')),
    policy_json text,
    created_by text references users(user_id),
    created_at text not null, updated_at text not null, deleted_at text,
    -- When a private workspace was opened: earlier texts in it were written for its members.
    opened_at text
  )`,
  'create index workspaces_by_visibility on workspaces(visibility, created_at)',
  `insert into workspaces (workspace_id, name, type, visibility, created_at, updated_at)
    values ('${PUBLIC_LIBRARY_ID}', '${PUBLIC_LIBRARY_NAME}', 'system', 'public',
      '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
  `create table memberships (
    workspace_id text not null references workspaces(workspace_id),
    user_id text not null references users(user_id),
    role text not null check (role in ('admin', 'editor', 'viewer')),
    created_at text not null,
    -- Null for a person who made the workspace or accepted an invitation.
    role_given_by text references users(user_id),
    -- 0 for a member added by the id of the account, whose address nobody has seen.
    address_known integer not null default 1,
    primary key (workspace_id, user_id)
  )`,
  'create index memberships_by_user on memberships(user_id, workspace_id)',
  `create table workspace_invites (
    invite_id text primary key,
    workspace_id text not null references workspaces(workspace_id),
    email text not null, email_normal text not null,
    role text not null check (role in ('admin', 'editor', 'viewer')),
    status text not null check (status in ('pending', 'accepted', 'revoked')),
    token_hash text not null unique,
    sendings integer not null,
    invited_by text not null references users(user_id),
    created_at text not null, expires_at text not null, accepted_at text,
    accepted_by text references users(user_id),
    -- The account that may accept without the link, from its inbox.
    for_user_id text references users(user_id),
    declined_at text,
    -- 0 for an account invited by its id, whose address nobody has seen.
    address_known integer not null default 1,
    -- When somebody registered with the invitation.
    registered_at text
  )`,
  'create index workspace_invites_by_workspace on workspace_invites(workspace_id, created_at)',
  'create index workspace_invites_by_inviter on workspace_invites(invited_by)',
  'create index workspace_invites_by_account on workspace_invites(for_user_id)',
  `create index workspace_invites_by_email on workspace_invites(email_normal) where status = 'pending'`,
  // One open invitation per address: inviting again sends the open one again.
  `create unique index workspace_invites_open on workspace_invites(workspace_id, email_normal)
    where status = 'pending'`,
]

const credentials = (engine: EngineName): string[] => [
  `create table sessions (
    session_id text,
    token_hash text not null unique,
    user_id text not null references users(user_id),
    created_at text not null, last_seen_at text not null, expires_at text not null,
    ${primaryKey(engine, 'session_id', 'token_hash')}
  )`,
  'create index sessions_by_user on sessions(user_id)',
  `create table api_keys (
    key_id text,
    key_hash text not null unique,
    user_id text not null references users(user_id),
    name text not null, prefix text not null, scopes text not null,
    created_at text not null, last_used_at text, expires_at text,
    -- A home for cards that an agent records with this key.
    default_workspace_id text references workspaces(workspace_id),
    ${primaryKey(engine, 'key_id', 'key_hash')}
  )`,
  'create index api_keys_by_user on api_keys(user_id, created_at)',
  `create table email_tokens (
    token_hash text primary key,
    user_id text not null references users(user_id),
    purpose text not null check (purpose in ('reset_password', 'verify_email')),
    created_at text not null, expires_at text not null, used_at text
  )`,
  'create index email_tokens_by_user on email_tokens(user_id)',
  // A new address that waits to be confirmed: at most one for each account.
  `create table email_changes (
    user_id text primary key references users(user_id),
    token_hash text not null unique,
    email text not null, email_normal text not null,
    mailed integer not null,
    created_at text not null, expires_at text not null
  )`,
  `create table login_failures (
    subject text primary key,
    failures integer not null,
    last_failure_at text not null
  )`,
  'create index login_failures_by_age on login_failures(last_failure_at)',
  // Requests that wait: whether the address has an account is found out after the answer.
  `create table reset_requests (
    request_id text primary key,
    email_normal text not null, created_at text not null
  )`,
  `create table idempotency_keys (
    key_hash text primary key,
    request_hash text not null, sealed_answer text not null,
    created_at text not null
  )`,
  'create index idempotency_keys_by_age on idempotency_keys(created_at)',
]

const oauth = (): string[] => [
  `create table oauth_clients (
    client_id text primary key,
    source text not null check (source in ('registered', 'document')),
    name text not null,
    uri text,
    redirect_uris text not null,
    auth_method text not null check (auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
    secret_hash text,
    may_refresh integer not null,
    created_at text not null, described_at text not null,
    -- When somebody first consented, kept after they disconnect the app.
    consented_at text
  )`,
  'create index oauth_clients_by_age on oauth_clients(created_at)',
  `create table oauth_grants (
    grant_id text primary key,
    user_id text not null references users(user_id),
    client_id text not null references oauth_clients(client_id),
    scopes text not null, resource text not null,
    created_at text not null, activated_at text, last_used_at text
  )`,
  'create index oauth_grants_by_user on oauth_grants(user_id, created_at)',
  'create index oauth_grants_by_client on oauth_grants(client_id)',
  `create table oauth_codes (
    code_hash text primary key,
    grant_id text not null references oauth_grants(grant_id) on delete cascade,
    redirect_uri text not null, challenge text not null,
    expires_at text not null, used_at text
  )`,
  'create index oauth_codes_by_grant on oauth_codes(grant_id)',
  'create index oauth_codes_by_end on oauth_codes(expires_at)',
  `create table oauth_tokens (
    token_hash text primary key,
    grant_id text not null references oauth_grants(grant_id) on delete cascade,
    kind text not null check (kind in ('access', 'refresh')),
    scopes text not null,
    created_at text not null, expires_at text not null, used_at text
  )`,
  'create index oauth_tokens_by_grant on oauth_tokens(grant_id)',
  'create index oauth_tokens_by_end on oauth_tokens(expires_at)',
]

const credits = (engine: EngineName): string[] => [
  `create table credit_balances (
    user_id text primary key references users(user_id),
    balance integer not null check (balance >= 0),
    lifetime_earned integer not null, lifetime_spent integer not null,
    updated_at text not null
  )`,
  `create table credit_entries (
    entry_id text,
    user_id text not null references users(user_id),
    delta integer not null,
    balance_after integer not null check (balance_after >= 0),
    reason text not null,
    ref_type text, ref_id text,
    cause text not null, created_at text not null,
    ${primaryKey(engine, 'entry_id', 'user_id')},
    unique (user_id, cause)
  )`,
  'create index credit_entries_by_user on credit_entries(user_id, created_at, entry_id)',
  // Publishing asks whether a card has earned before.
  `create index credit_entries_by_published_card on credit_entries(ref_id) where reason = 'publish_reward'`,
  ...appendOnly(engine, 'credit_entries'),
  // A sketch of each rewarded text, by which near copies are known. It outlives the card: otherwise deleting a card and
  // publishing a near copy would earn again.
  `create table rewarded_texts (
    user_id text not null references users(user_id),
    card_id text not null,
    sketch text not null, created_at text not null,
    primary key (user_id, card_id)
  )`,
  // Confirmed addresses that an account has left, so that a mailbox does not earn anew with each account.
  `create table left_addresses (
    address_hash text not null,
    user_id text not null references users(user_id),
    left_at text not null,
    primary key (address_hash, user_id)
  )`,
  'create index left_addresses_by_time on left_addresses(left_at)',
]

const cards = (engine: EngineName): string[] => [
  // The columns that lists and counts read most come first: SQLite then need not walk past the long texts.
  `create table cards (
    card_id text primary key,
    owner_id text not null references users(user_id),
    workspace_id text not null references workspaces(workspace_id),
    origin_workspace_id text not null references workspaces(workspace_id),
    card_type text not null
      check (card_type in ('debug_fix', 'how_to', 'lesson_learned', 'decision', 'reference')),
    status text not null check (status in ('unpublished', 'published')),
    version integer not null,
    title text not null, filter_text text not null, tags text not null,
    environment text not null,
    evidence_count integer not null default 0,
    feedback_useful integer not null default 0,
    feedback_not_applicable integer not null default 0,
    feedback_outdated integer not null default 0,
    review_status text not null default 'not_reviewed'
      check (review_status in ('not_reviewed', 'passed', 'rejected')),
    review_score integer,
    review_reasons text not null default '[]',
    reviewed_at text, created_at text not null, updated_at text not null, edited_at text not null,
    edited_by text not null references users(user_id),
    edited_fields text not null,
    published_at text, deleted_at text,
    symptom text not null, fix_summary text not null,
    root_cause text,
    steps text not null,
    card_payload text, body text, scope_notes text,
    -- The version and the time at which the card came into its workspace: earlier texts belong to its owner.
    seen_from_version integer not null default 1,
    seen_since text,
    -- Computed from verdicts and feedback; null while nobody has given any.
    trust text,
    confirmed_at text,
    -- Null until a job has read the cites from the card.
    cites text,
    cites_are_written integer not null default 0,
    review_after_days integer,
    superseded_by text, recorded_with text, source_event_id text, sample text,
    -- When moderators, or enough reports, hid the card from everybody but its owner.
    hidden_at text,
    content_hash text, licence text, version_published_at text, origin text,
    origin_key text,
    -- 1 if the card that supersedes this one is deleted or hidden, so that no query has to read both.
    successor_gone integer not null default 0,
    -- Trust as members of the private team see it that the card came from; null where that is the trust of all.
    team_trust text
  )`,
  'create index cards_by_owner on cards(owner_id, created_at, card_id) where deleted_at is null',
  'create index cards_by_owner_changed on cards(owner_id, updated_at, card_id) where deleted_at is null',
  'create index cards_by_workspace on cards(workspace_id, status, created_at, card_id) where deleted_at is null',
  'create index cards_deleted on cards(deleted_at) where deleted_at is not null',
  'create index cards_deleted_by_owner on cards(owner_id) where deleted_at is not null',
  'create index cards_deleted_by_workspace on cards(workspace_id) where deleted_at is not null',
  'create index cards_away_by_origin on cards(origin_workspace_id) where workspace_id <> origin_workspace_id',
  `create index cards_awaiting_review on cards(card_id)
    where status = 'published' and review_status = 'not_reviewed' and deleted_at is null`,
  'create index cards_by_sample on cards(owner_id, sample) where sample is not null',
  'create index cards_by_successor on cards(superseded_by) where superseded_by is not null',
  'create index cards_by_origin on cards(origin_key, workspace_id) where origin_key is not null',
  'create index cards_by_content on cards(workspace_id, content_hash) where content_hash is not null',
  'create index cards_given on cards(workspace_id, card_id) where licence is not null and deleted_at is null',
  ...seenFromMove(engine),
]

/** Notes version and time of every move, in the database, so that no way of moving a card can forget it. */
const seenFromMove = (engine: EngineName): string[] =>
  engine === 'sqlite'
    ? [
        `create trigger cards_seen_from after update of workspace_id on cards
          when new.workspace_id <> old.workspace_id
          begin update cards set seen_from_version = new.version where card_id = new.card_id; end`,
        `create trigger cards_seen_since after update of workspace_id on cards
          when new.workspace_id <> old.workspace_id
          begin update cards set seen_since = new.updated_at where card_id = new.card_id; end`,
      ]
    : [
        `create function card_is_seen_from() returns trigger language plpgsql as
          $$ begin new.seen_from_version := new.version; return new; end $$`,
        `create trigger cards_seen_from before update of workspace_id on cards
          for each row when (new.workspace_id <> old.workspace_id) execute function card_is_seen_from()`,
        `create function card_is_seen_since() returns trigger language plpgsql as
          $$ begin new.seen_since := new.updated_at; return new; end $$`,
        `create trigger cards_seen_since before update of workspace_id on cards
          for each row when (new.workspace_id <> old.workspace_id) execute function card_is_seen_since()`,
        `create trigger cards_no_delete before delete on cards
          for each row when (old.deleted_at is null) execute function refuse_unless_deleted()`,
      ]

const partsOfCards = (engine: EngineName): string[] => [
  `create table card_tags (
    card_id text not null references cards(card_id),
    tag text not null, tag_normal text not null,
    primary key (card_id, tag_normal)
  )`,
  'create index card_tags_by_tag on card_tags(tag_normal, card_id)',
  `create table card_evidences (
    evidence_id text,
    card_id text not null ${cardOfKeptRow(engine)},
    position integer not null,
    kind text not null, content text not null,
    meta text, secrets text,
    added_by text not null references users(user_id),
    added_in_version integer not null,
    created_at text not null,
    ${primaryKey(engine, 'evidence_id', 'card_id')},
    unique (card_id, position)
  )`,
  ...keptWithCard(engine, 'card_evidences'),
  `create table card_versions (
    card_id text not null ${cardOfKeptRow(engine)},
    version integer not null,
    content text not null,
    edited_by text not null references users(user_id),
    edited_at text not null, edited_fields text not null,
    content_hash text, licence text, published_at text,
    primary key (card_id, version)
  )`,
  ...keptWithCard(engine, 'card_versions'),
]

const opinionsOnCards = (engine: EngineName): string[] => [
  `create table card_feedback (
    feedback_id text,
    card_id text not null references cards(card_id),
    user_id text not null references users(user_id),
    kind text not null check (kind in ('useful', 'not_applicable', 'outdated')),
    comment text,
    rewarded_at text, created_at text not null, withdrawn_at text,
    -- When the owner was mailed about it.
    told_at text,
    ${primaryKey(engine, 'feedback_id', 'card_id')},
    unique (card_id, user_id)
  )`,
  'create index card_feedback_rewarded on card_feedback(user_id, rewarded_at) where rewarded_at is not null',
  'create index card_feedback_untold on card_feedback(card_id) where told_at is null',
  // Lately useful to members of a team, found by the members.
  `create index card_feedback_by_person on card_feedback(user_id, created_at)
    where kind = 'useful' and withdrawn_at is null`,
  // All feedback of one person in the order of its time, as an export reads it.
  'create index card_feedback_of_person on card_feedback(user_id, created_at, feedback_id)',

  `create table card_verdicts (
    verdict_id text,
    card_id text not null ${cardOfKeptRow(engine)},
    user_id text not null references users(user_id),
    owner_id text not null,
    card_version integer not null,
    outcome text not null check (outcome in ('worked', 'failed', 'stale', 'withdrawn')),
    environment text not null, environment_key text not null,
    closeness text not null check (closeness in ('owner', 'team', 'stranger')),
    nth_of_owner integer not null, is_rewarded integer not null,
    evidence text, note text, applied_in text,
    created_at text not null,
    ${primaryKey(engine, 'verdict_id', 'card_id')}
  )`,
  'create index card_verdicts_by_card on card_verdicts(card_id, created_at, verdict_id)',
  'create index card_verdicts_by_person on card_verdicts(user_id, owner_id, card_id)',
  'create index card_verdicts_rewarded on card_verdicts(user_id, created_at) where is_rewarded = 1',
  `create index card_verdicts_of_person on card_verdicts(user_id, created_at) where outcome = 'worked'`,
  // A person's last verdict on a card in one environment stands. Without this index each one is compared with all others.
  'create index card_verdicts_standing on card_verdicts(card_id, user_id, environment_key, verdict_id)',
  ...keptWithCard(engine, 'card_verdicts'),
  // Cards whose trust must be computed anew because of an opinion on another card.
  'create table trust_due (card_id text primary key)',

  `create table card_comments (
    comment_id text,
    card_id text not null references cards(card_id),
    workspace_id text not null references workspaces(workspace_id),
    user_id text not null references users(user_id),
    body text not null,
    created_at text not null, edited_at text,
    ${primaryKey(engine, 'comment_id', 'card_id')}
  )`,
  'create index card_comments_by_card on card_comments(card_id, created_at, comment_id)',
  'create index card_comments_by_person on card_comments(user_id, created_at, comment_id)',
]

const linksOfCards = (engine: EngineName): string[] => [
  `create table card_links (
    link_id text,
    from_card_id text not null references cards(card_id),
    to_card_id text not null,
    kind text not null check (kind in ('supersedes', 'duplicates', 'contradicts', 'related')),
    why text,
    created_by text references users(user_id),
    created_at text not null,
    ${primaryKey(engine, 'link_id', 'from_card_id')},
    unique (from_card_id, to_card_id, kind)
  )`,
  'create index card_links_to on card_links(to_card_id)',
  'create index card_links_of_person on card_links(created_by, created_at, link_id)',
  `create table card_merges (
    from_card_id text primary key references cards(card_id),
    into_card_id text not null,
    merged_by text not null references users(user_id),
    why text,
    created_at text not null
  )`,
  'create index card_merges_into on card_merges(into_card_id)',
  'create index card_merges_of_person on card_merges(merged_by, created_at, from_card_id)',
]

/** Pictures on cards. Their bytes are base64 in rows of bounded size: both engines, replicas and backups carry text. */
const images = (engine: EngineName): string[] => [
  `create table card_images (
    image_id text primary key,
    card_id text ${cardElsewhere(engine)},
    uploaded_by text not null references users(user_id),
    media_type text not null,
    width integer not null, height integer not null, size_bytes integer not null,
    sha256 text not null, created_at text not null
  )`,
  'create index card_images_card on card_images(card_id, created_at)',
  'create index card_images_uploader on card_images(uploaded_by, created_at, image_id)',
  'create index card_images_loose on card_images(created_at) where card_id is null',
  `create table card_image_parts (
    image_id text not null references card_images(image_id),
    part integer not null,
    content text not null,
    primary key (image_id, part)
  )`,
]

const moderation = (engine: EngineName): string[] => [
  // A matter outlives its card: a decision about a person stays known after they delete the card.
  `create table moderation_matters (
    matter_id text primary key,
    card_id text not null,
    owner_id text not null references users(user_id),
    workspace_id text not null references workspaces(workspace_id),
    cause text not null, status text not null,
    revision integer not null, card_version integer not null, hidden_by_reports integer not null,
    ask_note text, decision text, reason text,
    decided_by text references users(user_id),
    decided_at text,
    decided_version integer,
    can_appeal integer not null,
    appeal_note text,
    appealed_at text, created_at text not null, updated_at text not null,
    -- Whether strangers could read the workspace at the last report, question or decision. Its present visibility does not
    -- say so: an owner who closes or deletes the workspace would free a hidden text.
    was_open integer not null default 0,
    -- Whether it was decided for the service or for a team. The present role of the decider does not say so: an admin can
    -- make any moderator an admin of the team.
    decided_by_service integer not null default 0
  )`,
  // One matter waits for each card and workspace: with one for each card, a question to the admins of a team would take in
  // the reports that strangers make elsewhere.
  `create unique index moderation_matters_waiting on moderation_matters(card_id, workspace_id)
    where status <> 'decided'`,
  'create index moderation_matters_by_card on moderation_matters(card_id, created_at)',
  'create index moderation_matters_by_owner on moderation_matters(owner_id, created_at, matter_id)',
  'create index moderation_matters_by_workspace on moderation_matters(workspace_id, created_at, matter_id)',
  'create index moderation_matters_by_time on moderation_matters(created_at, matter_id)',
  `create index moderation_matters_hiding on moderation_matters(updated_at)
    where hidden_by_reports = 1 or decision in ('hide', 'remove')`,
  `create table card_reports (
    report_id text primary key,
    card_id text not null ${cardElsewhere(engine)},
    matter_id text not null references moderation_matters(matter_id),
    user_id text references users(user_id),
    reporter_key text not null, kind text not null,
    note text,
    card_version integer not null,
    created_at text not null
  )`,
  'create unique index card_reports_once on card_reports(card_id, reporter_key)',
  'create index card_reports_by_case on card_reports(matter_id, created_at)',
  'create index card_reports_by_person on card_reports(user_id, created_at, report_id)',
  `create table publishing_bans (
    ban_id text primary key,
    user_id text not null references users(user_id),
    email_hash text,
    workspace_id text references workspaces(workspace_id),
    matter_id text not null references moderation_matters(matter_id),
    reason text not null,
    banned_by text not null references users(user_id),
    created_at text not null,
    lifted_by text references users(user_id),
    lifted_at text, lift_reason text
  )`,
  'create index publishing_bans_by_person on publishing_bans(user_id, created_at, ban_id)',
  'create index publishing_bans_by_address on publishing_bans(email_hash) where lifted_at is null',
  'create index publishing_bans_by_time on publishing_bans(created_at, ban_id)',
  // When a person's agent last read a card of somebody else, so that it can be told of a withdrawal.
  `create table card_reads (
    user_id text not null references users(user_id),
    card_id text not null ${cardElsewhere(engine)},
    last_at text not null,
    primary key (user_id, card_id)
  )`,
  'create index card_reads_by_card on card_reads(card_id)',
  'create index card_reads_by_age on card_reads(last_at)',
  `create table withdrawals_told (
    user_id text not null references users(user_id),
    card_id text not null ${cardElsewhere(engine)},
    project_key text not null, told_at text not null,
    primary key (user_id, card_id, project_key)
  )`,
  'create index withdrawals_told_by_card on withdrawals_told(card_id)',
]

/** Signed snapshots of the public library. */
const library = (): string[] => [
  `create table signing_keys (
    key_id text primary key,
    public_key text not null, private_key text not null,
    created_at text not null, retired_at text
  )`,
  `create table library_snapshots (
    snapshot_id text primary key,
    key_id text not null references signing_keys(key_id),
    started_at text not null, claimed_until text not null,
    made_at text,
    cards integer not null default 0,
    size_bytes bigint not null default 0,
    head text
  )`,
  `create table library_snapshot_parts (
    snapshot_id text not null references library_snapshots(snapshot_id),
    part integer not null,
    content text not null,
    primary key (snapshot_id, part)
  )`,
]

/** The posting lists of search-index/, and the words in them. */
const searchIndex = (engine: EngineName): string[] => [
  `create table search_docs (
    doc_no ${
      engine === 'sqlite'
        ? // A number must never come twice: entries left of the former card would pass to the new one.
          'integer primary key autoincrement'
        : 'integer generated always as identity'
    },
    card_id text not null unique references cards(card_id),
    analyser integer not null,
    weights ${bytes(engine)} not null
    ${engine === 'sqlite' ? '' : ', primary key (doc_no, card_id)'}
  )`,
  // For cards that another version of the analyser has read.
  'create index search_docs_by_analyser on search_docs(analyser)',
  `create table search_words (
    hash integer primary key,
    word text not null,
    cards integer not null,
    ${engine === 'sqlite' ? '' : 'grams integer[] not null,'}
    -- Counted apart, so that no ranking depends on cards that the asker may not see.
    public_cards integer not null default 0
  )${
    // An updated row stays in its page where there is room. Otherwise each change of a count would add the word to the
    // index of trigrams once more.
    engine === 'sqlite' ? '' : ' with (fillfactor = 75)'
  }`,
  engine === 'sqlite'
    ? `create virtual table search_grams using
        fts5(grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`
    : // Without a list of pending entries the index does not grow beyond its words.
      'create index search_words_by_gram on search_words using gin (grams) with (fastupdate = off)',
  `create table search_changes (
    change_no ${counter(engine)},
    cards integer not null, length integer not null,
    added text not null, removed text not null,
    gone text not null default '',
    is_public integer not null default 0
  )`,
  `create table search_totals (
    id integer primary key check (id = 1),
    cards integer not null,
    length ${largeSum(engine)} not null,
    public_cards integer not null default 0,
    public_length ${largeSum(engine)} not null default 0,
    -- Counts the changes of posting lists, so that a process knows how long lists that it has read are good.
    list_changes integer not null default 0
  )`,
  'insert into search_totals (id, cards, length) values (1, 0, 0)',
  'create table search_fresh (doc_no integer primary key)',
  'create table search_runs (run integer primary key, dead integer not null)',
  `create table search_postings (
    run integer not null, key integer not null,
    docs ${bytes(engine)} not null,
    primary key (run, key)
  )`,
  `create table search_dead (block integer primary key, docs ${bytes(engine)} not null)`,
  // Numbers do not compress; trying costs time at every read.
  ...(engine === 'sqlite'
    ? []
    : [
        'alter table search_postings alter column docs set storage external',
        'alter table search_docs alter column weights set storage external',
      ]),
]

const searches = (engine: EngineName): string[] => [
  `create table kept_searches (
    search_id text,
    user_id text not null references users(user_id),
    kind text not null check (kind in ('recent', 'saved')),
    name text,
    query text not null, filters text not null,
    created_at text not null, used_at text not null,
    ${primaryKey(engine, 'search_id', 'user_id')}
  )`,
  'create index kept_searches_by_person on kept_searches(user_id, kind, used_at, search_id)',
  // Words of searches that found nothing, without the person.
  `create table missed_searches (
    workspace_id text not null references workspaces(workspace_id),
    words text not null,
    times integer not null,
    last_at text not null,
    primary key (workspace_id, words)
  )`,
  'create index missed_searches_by_age on missed_searches(last_at)',
]

/** The project of a row of memory. On a cluster the key needs the person, whose shard both rows are in. */
const projectOf = (engine: EngineName, table: string): string =>
  engine === 'sqlite'
    ? 'foreign key (project_id) references context_projects(project_id)'
    : `constraint ${table}_project_id_fkey
        foreign key (project_id, user_id) references context_projects(project_id, user_id)`

const memory = (engine: EngineName): string[] => [
  `create table context_projects (
    project_id text,
    user_id text not null references users(user_id),
    workspace_id text not null references workspaces(workspace_id),
    project_key text not null,
    host text,
    events integer not null,
    last_event_at text, created_at text not null,
    ${primaryKey(engine, 'project_id', 'user_id')}
  )`,
  'create index context_projects_by_user on context_projects(user_id)',
  `create table context_project_aliases (
    user_id text not null,
    workspace_id text not null,
    alias text not null,
    project_id text not null,
    primary key (user_id, alias, workspace_id),
    ${projectOf(engine, 'context_project_aliases')}
  )`,
  'create index context_project_aliases_by_project on context_project_aliases(project_id)',
  // The events of a partition have neighbouring numbers, so the search indexes can be asked for one project.
  // A project that another one was merged into has several partitions; nothing is indexed anew for that.
  `create table context_partitions (
    partition_no ${
      engine === 'sqlite' ? 'integer primary key autoincrement' : 'bigint generated always as identity'
    },
    project_id text not null,
    last_seq integer not null,
    user_id text not null default '',
    ${engine === 'sqlite' ? '' : 'primary key (partition_no, user_id),'}
    ${projectOf(engine, 'context_partitions')}
  )`,
  'create index context_partitions_by_project on context_partitions(project_id, partition_no)',
  `create table context_events (
    event_no ${largeSum(engine)},
    raw_id text not null,
    user_id text not null references users(user_id),
    project_id text not null,
    workspace_id text not null references workspaces(workspace_id),
    event_type text not null
      check (event_type in ('user_message', 'agent_report', 'turn', 'summary', 'fact_snapshot')),
    slot text not null check (slot in ('recent', 'summary', 'facts', 'preferences')),
    created_at text not null,
    title text, session_id text, client text, meta text,
    redactions text not null, content text not null,
    search_text text not null,
    ${primaryKey(engine, 'event_no', 'user_id')},
    ${
      engine === 'sqlite'
        ? 'unique (raw_id)'
        : 'constraint context_events_raw_id_key unique (raw_id, user_id)'
    },
    ${projectOf(engine, 'context_events')}
  )`,
  'create index context_events_by_slot on context_events(project_id, slot, created_at, event_no)',
  'create index context_events_by_time on context_events(project_id, created_at, event_no)',
]

/**
 * SQLite has full-text tables for trigrams and for words, with the partition in every term. PostgreSQL has both as arrays of
 * hashes under GIN indexes, which need no extension and treat every script alike.
 */
const memoryIndex = (engine: EngineName): string[] =>
  engine === 'sqlite'
    ? [
        `create virtual table context_event_grams using fts5(
          grams, content='', contentless_delete=1, detail=none, tokenize='ascii'
        )`,
        `create virtual table context_event_words using fts5(words, columnsize=0, detail=none, tokenize='ascii')`,
      ]
    : [
        `create table context_event_index (
          event_no bigint,
          grams integer[] not null,
          words integer[] not null,
          user_id text not null default '',
          primary key (event_no, user_id),
          constraint context_event_index_event_no_fkey
            foreign key (event_no, user_id) references context_events(event_no, user_id) on delete cascade
        )`,
        'create index context_event_index_grams on context_event_index using gin (grams)',
        'create index context_event_index_words on context_event_index using gin (words)',
      ]

const materials = (): string[] => [
  `create table raw_materials (
    raw_id text primary key,
    owner_id text not null references users(user_id),
    workspace_id text not null references workspaces(workspace_id),
    kind text not null,
    title text, source_url text,
    tags text not null,
    meta text,
    redactions text not null, created_at text not null,
    content text not null
  )`,
  'create index raw_materials_by_workspace on raw_materials(workspace_id, created_at, raw_id)',
  'create index raw_materials_by_owner on raw_materials(owner_id, created_at, raw_id)',
]

const recall = (engine: EngineName): string[] => [
  // The texts that were sent are not kept, only a hash of the telling lines of a failure.
  `create table recall_calls (
    call_id text,
    user_id text not null references users(user_id),
    project_key text, session_id text, client text,
    moment text not null check (moment in ('failure', 'prompt', 'start', 'compact')),
    signature text,
    is_silent integer not null,
    reason text not null,
    chars integer not null,
    created_at text not null,
    ${primaryKey(engine, 'call_id', 'user_id')}
  )`,
  'create index recall_calls_by_user on recall_calls(user_id, created_at, call_id)',
  'create index recall_calls_by_signature on recall_calls(user_id, signature, created_at) where signature is not null',
  'create index recall_calls_by_age on recall_calls(created_at)',
  `create table recall_items (
    delivery_id text,
    call_id text not null,
    user_id text not null references users(user_id),
    session_id text,
    kind text not null check (kind in ('card', 'fact', 'event')),
    item_id text not null,
    confidence real,
    opened_at text, created_at text not null,
    ${primaryKey(engine, 'delivery_id', 'user_id')}
  )`,
  'create index recall_items_by_user on recall_items(user_id, created_at, delivery_id)',
  'create index recall_items_by_call on recall_items(user_id, call_id)',
  // An item has one row in a session, also when two calls ask at one moment.
  `create unique index recall_items_once on recall_items(user_id, session_id, kind, item_id)
    where session_id is not null`,
  'create index recall_items_unopened on recall_items(user_id, item_id) where opened_at is null',
  'create index recall_items_by_age on recall_items(created_at)',
]

/** Drafts of cards that were found in a person's own work, and the work they are found in. */
const mining = (engine: EngineName): string[] => [
  `create table card_drafts (
    draft_id text,
    user_id text not null references users(user_id),
    status text not null check (status in ('open', 'accepted', 'dismissed')),
    signature text not null, candidate text not null,
    project_key text, session_id text, client text, looks_like text, card_id text,
    created_at text not null, expires_at text not null, decided_at text,
    ${primaryKey(engine, 'draft_id', 'user_id')}
  )`,
  // An error has one draft, also when two clients send it at one moment, and a dismissed one does not come back.
  'create unique index card_drafts_once on card_drafts(user_id, signature)',
  'create index card_drafts_by_user on card_drafts(user_id, created_at, draft_id)',
  'create index card_drafts_by_expiry on card_drafts(expires_at)',
  // Sessions with turns that wait to be looked through.
  `create table mining_due (
    user_id text not null references users(user_id),
    project_id text not null,
    session_id text not null,
    marked_at text not null,
    primary key (user_id, project_id, session_id)
  )`,
  'create index mining_due_by_age on mining_due(marked_at)',
  // Failing commands that succeeded in the end: the number of attempts tells whether a card helped.
  `create table recoveries (
    recovery_id text,
    user_id text not null references users(user_id),
    project_key text not null,
    session_id text not null,
    signature text not null,
    attempts integer not null, is_lesson integer not null,
    created_at text not null,
    ${primaryKey(engine, 'recovery_id', 'user_id')}
  )`,
  'create unique index recoveries_once on recoveries(user_id, session_id, signature)',
  'create index recoveries_by_user on recoveries(user_id, created_at, recovery_id)',
  'create index recoveries_by_age on recoveries(created_at)',
]

const billing = (): string[] => [
  `create table billing_customers (
    provider text not null,
    user_id text not null references users(user_id),
    customer_id text not null unique,
    created_at text not null,
    primary key (provider, user_id)
  )`,
  `create table billing_subscriptions (
    subscription_id text primary key,
    provider text not null,
    customer_id text not null,
    user_id text not null references users(user_id),
    plan_id text,
    status text not null check (status in ('none', 'trialing', 'active', 'past_due', 'canceled')),
    current_period_end text,
    cancel_at_period_end integer not null,
    event_created bigint not null,
    event_rank integer not null,
    created_at text not null, updated_at text not null
  )`,
  'create index billing_subscriptions_by_user on billing_subscriptions(user_id, updated_at)',
  `create table billing_events (
    event_id text primary key,
    provider text not null, type text not null, received_at text not null
  )`,
  `create table billing_payments (
    payment_id text primary key,
    provider text not null,
    user_id text not null references users(user_id),
    kind text not null check (kind in ('pack', 'plan')),
    item_id text not null,
    payment_intent text,
    amount_cents integer not null,
    currency text not null,
    credits integer not null check (credits >= 0),
    refunded_cents integer not null default 0,
    credits_returned integer not null default 0,
    created_at text not null,
    disputed_cents integer not null default 0
  )`,
  'create index billing_payments_by_user on billing_payments(user_id, created_at)',
  'create index billing_payments_by_intent on billing_payments(payment_intent)',
  // Refunds whose payment is not known yet.
  `create table billing_early_refunds (
    refund_key text primary key,
    payment_intent text, invoice_id text,
    refunded_cents integer not null,
    created_at text not null
  )`,
  'create index billing_early_refunds_by_invoice on billing_early_refunds(invoice_id)',
  // Payments that a bank has taken back for its customer: how much, and which credits went with them.
  `create table billing_disputes (
    dispute_id text primary key,
    payment_intent text, invoice_id text,
    payment_id text references billing_payments(payment_id),
    amount_cents integer not null,
    credits_taken integer not null default 0,
    won_at text, created_at text not null
  )`,
  'create index billing_disputes_by_intent on billing_disputes(payment_intent) where payment_id is null',
  'create index billing_disputes_by_invoice on billing_disputes(invoice_id) where payment_id is null',
  `create table billing_invites (
    invite_id text primary key,
    code text not null unique,
    created_by text not null references users(user_id),
    note text,
    credits integer not null check (credits >= 0),
    max_uses integer not null check (max_uses > 0),
    uses integer not null default 0 check (uses <= max_uses),
    expires_at text not null, created_at text not null, withdrawn_at text
  )`,
  'create index billing_invites_by_creator on billing_invites(created_by, created_at)',
  `create table billing_redemptions (
    user_id text primary key references users(user_id),
    invite_id text not null references billing_invites(invite_id),
    created_at text not null
  )`,
]

/** The memory of the payment provider for development. */
const devPayments = (): string[] => [
  `create table billing_dev_objects (
    object_id text primary key,
    kind text not null,
    customer_id text,
    data text not null, created_at text not null, updated_at text not null
  )`,
  'create index billing_dev_objects_by_customer on billing_dev_objects(customer_id, kind)',
  `create table billing_dev_events (
    event_id text primary key,
    payload text not null,
    created_at text not null, delivered_at text
  )`,
  'create index billing_dev_events_open on billing_dev_events(delivered_at, created_at)',
]

const support = (): string[] => [
  `create table support_tickets (
    ticket_id text primary key,
    user_id text references users(user_id),
    email text not null, subject text not null, message text not null,
    category text not null,
    status text not null check (status in ('open', 'closed')),
    created_at text not null, closed_at text,
    closed_by text references users(user_id),
    plan text
  )`,
  'create index support_tickets_by_status on support_tickets(status, created_at, ticket_id)',
  'create index support_tickets_by_user on support_tickets(user_id, created_at, ticket_id)',
  `create table support_attachments (
    attachment_id text primary key,
    ticket_id text not null references support_tickets(ticket_id),
    position integer not null,
    file_name text not null, media_type text not null,
    size_bytes integer not null
  )`,
  'create index support_attachments_by_ticket on support_attachments(ticket_id, position)',
  `create table support_replies (
    reply_id text primary key,
    ticket_id text not null references support_tickets(ticket_id),
    author_id text references users(user_id),
    from_support integer not null,
    message text not null, created_at text not null
  )`,
  'create index support_replies_by_ticket on support_replies(ticket_id, created_at, reply_id)',
  `create table support_conversations (
    conversation_hash text primary key,
    user_id text references users(user_id),
    sealed_turns text not null, updated_at text not null
  )`,
  'create index support_conversations_by_time on support_conversations(updated_at)',
  'create index support_conversations_by_user on support_conversations(user_id)',
]

/** An inbox for each person. */
const notices = (engine: EngineName): string[] => [
  `create table notices (
    notice_id text,
    user_id text not null references users(user_id),
    kind text not null,
    actor_id text references users(user_id),
    workspace_id text references workspaces(workspace_id),
    subject_id text,
    details text not null,
    created_at text not null, read_at text,
    ${primaryKey(engine, 'notice_id', 'user_id')}
  )`,
  'create index notices_by_user on notices(user_id, created_at, notice_id)',
  'create index notices_by_age on notices(created_at)',
  // A newer notice about one subject replaces the unread one. The store names these columns too.
  `create unique index notices_one_unread on notices
    (user_id, kind, coalesce(workspace_id, ''), coalesce(subject_id, '')) where read_at is null`,
]

const operations = (engine: EngineName): string[] => [
  `create table audit_log (
    audit_id text primary key,
    actor_id text, workspace_id text,
    action text not null, subject_type text not null,
    subject_id text not null,
    details text not null,
    request_id text not null,
    created_at text not null
  )`,
  'create index audit_log_by_workspace on audit_log(workspace_id, audit_id)',
  'create index audit_log_by_actor on audit_log(actor_id, audit_id)',
  ...appendOnly(engine, 'audit_log'),
  `create table outbox (
    mail_id text primary key,
    state_key text not null unique,
    to_address text not null, subject text not null,
    text_body text not null, html_body text not null,
    status text not null check (status in ('pending', 'sent', 'failed', 'cancelled')),
    attempts integer not null default 0,
    next_attempt_at text not null, claimed_until text,
    last_error text,
    created_at text not null, sent_at text,
    sealed_with text not null default ''
  )`,
  'create index outbox_due on outbox(status, next_attempt_at)',
  // For counting the mails of an address, compared without its case, see `hasRoomInMailbox`.
  'create index outbox_recipient on outbox(lower(to_address), created_at)',
  // Which secret key seals values of this database, and the key of its hashes, which outlives a change of the secret key.
  `create table server_secret (
    id integer primary key check (id = 1),
    fingerprint text not null, hash_key text not null
  )`,
  // How far into its log a person has lately written, so that a replica knows whether it may answer them. The table is
  // unlogged, as nothing in it is worth keeping after a crash.
  ...(engine === 'sqlite'
    ? []
    : [
        `create unlogged table write_positions (
          user_id text primary key,
          position pg_lsn not null,
          written_at timestamptz not null
        ) with (fillfactor = 50)`,
      ]),
]
