import { z } from 'zod'
import { LicenceId } from '../../core/licence-id.ts'
import { Time } from '../../core/schemas.ts'

/** What a published version stands for: what it says, whose it is, since when, and what others may do with it. */
export const Publication = z
  .object({
    content_hash: z.string().describe('SHA-256 of the canonical form of what the version says'),
    author: z.string(),
    published_at: Time.describe(
      'When this version was given under its licence; without one, when it was last published',
    ),
    licence: LicenceId.nullable().describe('SPDX identifier; null: none was given'),
    licence_url: z.string().nullable().describe('The text of the licence'),
  })
  .meta({ id: 'CardPublication' })

export type PublicationAnswer = z.input<typeof Publication>
