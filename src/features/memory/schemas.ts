import { z } from 'zod'
import { Provenance } from '../../core/provenance.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { freeJson } from '../../core/sizes.ts'
import { MORE_THAN_CONTROLS } from '../redaction/required-text.ts'
import { LONGEST_KEY } from './project-key.ts'

export const LONGEST_CONTENT = 200_000
export const MAX_BODY_BYTES = 8 * 1024 * 1024

export const ProjectKey = z
  .string()
  .trim()
  .min(1)
  .max(LONGEST_KEY)
  .describe('Repository URL or org/repo; any other stable name where there is none')

export const WorkspaceId = Id.nullish().describe('Default: personal')

export const Confirmed = z.literal(true).describe('The user has agreed; must be true')

const Meta = freeJson(64 * 1024)

export const Label = z.string().max(1000).nullish()

export const EventType = z.enum(['user_message', 'agent_report', 'turn', 'summary', 'fact_snapshot'])

/** What every write of an event may carry. */
export const EventContext = {
  title: Label,
  session_id: Label,
  client: Label,
  meta: Meta.nullish(),
}

export const Redaction = z.object({ kind: z.string(), count: z.int() })

export const SearchNote = z
  .string()
  .optional()
  .describe('After a write: which words questions do not find, where there are too many.')

/** What is written of an event, or into one. */
export const Content = z
  .string()
  .min(1)
  .max(LONGEST_CONTENT)
  .refine(...MORE_THAN_CONTROLS)

export const ProjectContextEventCreate = z
  .object({
    project_key: ProjectKey,
    event_type: EventType,
    content: Content,
    workspace_id: WorkspaceId,
    ...EventContext,
  })
  .meta({ id: 'ProjectContextEventCreate' })

export const ProjectContextEventResponse = z
  .object({
    raw_id: AnswerId,
    project_key: z.string(),
    event_type: EventType,
    title: z.string().nullable(),
    content: z.string(),
    session_id: z.string().nullable(),
    client: z.string().nullable(),
    meta: Meta.nullable(),
    workspace_id: AnswerId,
    redactions: z
      .array(Redaction)
      .describe('Kinds of secret that were replaced by placeholders, and how many.'),
    truncated: z.boolean().describe('Whether content was cut to the asked length.'),
    created_at: Time,
    hint: z
      .string()
      .optional()
      .describe('After a write: where this belongs, if it was kept but did not do what its kind says.'),
    search_note: SearchNote,
    provenance: Provenance.optional().describe(
      'Of an event that is read by its id: memory is written by the caller and read by nobody else.',
    ),
  })
  .meta({ id: 'ProjectContextEventResponse' })

export const LeftOut = z.object({
  events: z.int(),
  characters: z.int(),
})

export type EventAnswer = z.input<typeof ProjectContextEventResponse>
