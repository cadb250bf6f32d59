import { randomUUID } from 'node:crypto'
import { contentHash } from '../../src/shared/library-snapshot.ts'
import { goodCard } from './cards.ts'

/** A card as the snapshot of another server has it. */
export function foreignCard(word: string = randomUUID(), more: Record<string, unknown> = {}) {
  const card = {
    card_type: 'debug_fix',
    environment: {},
    steps: [],
    tags: ['pulled'],
    card_payload: null,
    body: null,
    scope_notes: 'Only on Mondays',
    ...goodCard(word),
    ...more,
  }
  return {
    card_id: randomUUID() as string,
    version: 1,
    content_hash: contentHash(card),
    author: 'Ada',
    licence: 'CC-BY-4.0',
    published_at: '2026-01-02T03:04:05.678Z',
    card,
  }
}
