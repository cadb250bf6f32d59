import type { OutputOf } from '#server/core/capability.ts'
import type {
  deleteImage as deleteCapability,
  listCardImages as listCapability,
} from '#server/features/cards/images/images.ts'
import { randomId } from '../lib/storage.ts'
import { call, requestJson } from './client.ts'

export type CardImage = OutputOf<typeof listCapability>['items'][number]

export const listCardImages = call<typeof listCapability>('GET /api/v1/cards/{card_id}/images')
export const deleteImage = call<typeof deleteCapability>('DELETE /api/v1/images/{image_id}')

/** The file is the body. The key makes sure that a repeated request stores one picture only. */
export const uploadImage = (file: Blob): Promise<CardImage> =>
  requestJson('/api/v1/images', {
    method: 'POST',
    body: file,
    headers: { 'Content-Type': file.type || 'application/octet-stream', 'Idempotency-Key': randomId() },
  })
