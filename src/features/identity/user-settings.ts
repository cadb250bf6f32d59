import { z } from 'zod'
import { Id } from '../../core/schemas.ts'
import { fromJson } from '../../db/columns.ts'
import type { UsersTable } from '../../db/schema.ts'
import { canonicalLanguage, DEFAULT_LANGUAGE } from '../../shared/language.ts'

/** The length is checked first, so that a long text costs nothing. */
const Language = z
  .string()
  .trim()
  .min(2)
  .max(35)
  .refine(
    (tag) => canonicalLanguage(tag) !== undefined,
    'Input should be a BCP 47 language tag, such as en or de-AT',
  )
  .transform((tag) => canonicalLanguage(tag) ?? DEFAULT_LANGUAGE)

export const UserSettings = z
  .object({
    publishing_enabled: z
      .boolean()
      .default(true)
      .describe(
        'Off: neither you nor an agent with your key can publish, or show strangers a card by another step',
      ),
    default_workspace_id: Id.nullable()
      .default(null)
      .describe(
        'Where the editor of the web app and the command line put a new card. You must be editor or admin there; null, also once you no longer are, is the personal workspace. REST and tools do not use it: where workspace_id is left out, the default_workspace_id of the API key counts, else the personal workspace.',
      ),
    share_recorded: z
      .boolean()
      .default(false)
      .describe(
        'On: what you record in default_workspace_id, and what apps record that you have connected, is shared there at once. Only for a private team where you are editor or admin; leaving it ends the choice. An API key has a choice of its own.',
      ),
    sharing_answered: z
      .boolean()
      .default(false)
      .describe('On: the web app does not ask again whether to share what you record'),
    language: Language.default(DEFAULT_LANGUAGE).describe(
      'A BCP 47 tag. Dates, times, numbers and prices in mails, server pages and the web app are written in this language; the words are English.',
    ),
    email_notifications: z
      .boolean()
      .default(true)
      .describe(
        'Off: no mails about feedback (at most one a day), about your cards (for example when their workspace is deleted), or when somebody adds you to a workspace; the inbox shows these in any case. Invitations, and mails that you asked for, such as a password reset, still come.',
      ),
    weekly_digest: z
      .boolean()
      .default(false)
      .describe(
        'On: once a week a mail about what happened in your teams, if anything did. It needs email_notifications and a confirmed address.',
      ),
    ask_before_added: z
      .boolean()
      .default(false)
      .describe('On: nobody makes you a member of a workspace at once; you get an invitation instead.'),
    agent_library: z
      .boolean()
      .default(false)
      .describe(
        'On: where neither your memory nor your and your teams’ cards know anything, recall also looks in the public library, at the price of a public search.',
      ),
    agent_library_monthly_credits: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(0)
      .describe('How many credits recall may spend there in a calendar month (UTC); 0 is none.'),
    keep_search_history: z
      .boolean()
      .default(true)
      .describe('Off: the web app keeps no history of your searches; what it kept is deleted'),
    share_usage: z
      .boolean()
      .default(false)
      .meta({ deprecated: true })
      .describe('Deprecated and without effect: no usage is sent anywhere'),
  })
  .meta({ id: 'UserSettings' })

export type Settings = z.output<typeof UserSettings>

export const DEFAULT_SETTINGS: Settings = UserSettings.parse({})

/** Old settings may have an invalid language. */
const StoredSettings = UserSettings.extend({ language: UserSettings.shape.language.catch(DEFAULT_LANGUAGE) })

type Person = Pick<UsersTable, 'settings'>

export const settingsOf = (person: Person): Settings => StoredSettings.parse(fromJson(person.settings))

export const languageOf = (person: Person | undefined): string =>
  person ? settingsOf(person).language : DEFAULT_LANGUAGE
