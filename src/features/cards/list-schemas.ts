import { z } from 'zod'
import { Id, Page } from '../../core/schemas.ts'

const CARD_ORDERS = ['created', 'changed', 'useful', 'title'] as const

export type CardOrder = (typeof CARD_ORDERS)[number]

const listParameters = {
  workspace_id: Id.optional(),
  status: z.string().max(10_000).optional().describe('published or unpublished; another value finds nothing'),
  scope: z
    .enum(['personal', 'workspace', 'public'])
    .default('personal')
    .describe('personal: cards I own; workspace: cards of my workspaces; public: the public library'),
  contains: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Text filter for any scope: cards with all its words, at most 16'),
  tag: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Only cards with this tag; case does not matter'),
  without_personal: z
    .boolean()
    .optional()
    .describe('With scope=workspace: without the personal workspace, so only cards of teams'),
  sort: z
    .enum(CARD_ORDERS)
    .default('created')
    .describe('created, changed: the latest first; useful: most often found useful first; title: by name'),
  ...Page,
}

export const CardListQuery = z.object(listParameters)

export const CaseListQuery = z.object({
  ...listParameters,
  track: z.enum(['debug', 'build']).optional(),
  q: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Text filter: cards with all its words, at most 16; with scope=public only'),
})
