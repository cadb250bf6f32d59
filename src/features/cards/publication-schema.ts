import { z } from 'zod'
import { LicenceId } from '../../core/licence-id.ts'
import { Time } from '../../core/schemas.ts'

/** Facts about a published version: the hash of its content, its author, its time and its licence. */
export const Publication = z
  .object({
    content_hash: z.string().describe('SHA-256 of the canonical form of what the version says'),
    author: z.string(),
    published_at: Time.describe(
      'When this version was published under its licence; without a licence, when it was last published',
    ),
    licence: LicenceId.nullable().describe('SPDX identifier; null if the version has no licence'),
    licence_url: z.string().nullable().describe('The text of the licence'),
  })
  .meta({ id: 'CardPublication' })

export type PublicationAnswer = z.input<typeof Publication>
