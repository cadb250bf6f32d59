import { z } from 'zod'
import { thinAnswer } from '../../core/capability.ts'
import { markIn, NONE_RECOGNISED } from '../../core/provenance.ts'
import { AnswerId } from '../../core/schemas.ts'
import { beginningOf } from '../../text/cut-text.ts'
import { HitReason, type SearchResponse, type SearchResult } from './schemas.ts'

/** Enough to choose a hit; get_card reads the card itself. */
const TITLE_CHARACTERS = 120
const FIX_CHARACTERS = 200

type Hit = z.output<typeof SearchResult>

const cut = (text: string, length: number): string =>
  beginningOf(text.replaceAll(/\s+/g, ' ').trim(), length - 1)

const homeOf = ({ owner, workspace, origin }: Hit['provenance']): string => {
  if (origin !== undefined) return `public, pulled from ${origin}`
  return owner === 'team' ? `team ${workspace}` : owner
}

const thinHit = (hit: Hit) => ({
  card_id: hit.card_id,
  title: cut(hit.title, TITLE_CHARACTERS),
  fix_summary: cut(hit.fix_summary, FIX_CHARACTERS),
  score: Math.round(hit.score * 100) / 100,
  ...(hit.weak ? { weak: true as const } : {}),
  why: cut(hit.why.map(({ where, words }) => `${where}: ${words.join(', ')}`).join('; '), TITLE_CHARACTERS),
  home: homeOf(hit.provenance),
  ...markIn(hit.provenance),
  hit_reason: hit.hit_reason,
  ...(hit.trust ? { trust: hit.trust.summary } : {}),
  ...(hit.likely_outdated ? { likely_outdated: true as const } : {}),
})

export const thinSearch = thinAnswer({
  input: z.object({}),
  output: z.object({
    results: z.array(
      z.object({
        card_id: AnswerId,
        title: z.string(),
        fix_summary: z.string(),
        score: z.number(),
        weak: z.literal(true).optional(),
        why: z.string().describe('What matched where'),
        home: z.string().describe('you, public, or team and its workspace_id'),
        contains_instructions: z.literal(true).optional(),
        contains_instructions_note: z.literal(NONE_RECOGNISED).optional(),
        hit_reason: HitReason,
        trust: z.string().optional(),
        likely_outdated: z.literal(true).optional(),
      }),
    ),
    total: z.int(),
    corrected: z.record(z.string(), z.string()).optional(),
  }),
  of: (answer: Omit<z.output<typeof SearchResponse>, 'action_card'>) => ({
    results: answer.results.map(thinHit),
    total: answer.total,
    ...(Object.keys(answer.corrected).length > 0 ? { corrected: answer.corrected } : {}),
  }),
})
