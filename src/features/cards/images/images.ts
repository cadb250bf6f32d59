import { z } from 'zod'
import { capability } from '../../../core/capability.ts'
import { inTx } from '../../../core/context.ts'
import { notFound } from '../../../core/errors.ts'
import { AnswerId, Id, Time } from '../../../core/schemas.ts'
import { audit } from '../../audit/audit.ts'
import { editableAtAnyVersion, readableCard } from '../access.ts'
import { contributorFor } from '../contributor.ts'
import { ADDED_BY, CardId } from '../schemas.ts'
import { imageAddress, MAX_IMAGES_PER_CARD } from './attach.ts'
import { findReadableImage, type ImageRow, imagesOfCard, removeImages } from './images.store.ts'

const CardImage = z
  .object({
    image_id: AnswerId,
    card_id: AnswerId.nullable().describe('Null until a card of the uploader names it.'),
    url: z.string().describe('What a card writes to show it: ![words](url).'),
    media_type: z.string(),
    width: z.int(),
    height: z.int(),
    size_bytes: z.int(),
    uploaded_by: AnswerId.describe(ADDED_BY),
    created_at: Time,
  })
  .meta({ id: 'CardImage' })

export const presentImage = ({ sha256: _, ...row }: ImageRow) => ({ ...row, url: imageAddress(row.image_id) })

export const listCardImages = capability({
  name: 'cards.images',
  summary: 'The pictures of a card',
  description: `Oldest first, at most ${MAX_IMAGES_PER_CARD}. Readers of the card see the pictures that its text names; editors also those of the versions that they may read.`,
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/images', 'GET /api/v1/cases/{case_id}/images'],
  aliases: { case_id: 'card_id' },
  input: CardId,
  output: z.object({ items: z.array(CardImage), total: z.int() }).meta({ id: 'CardImages' }),
  errors: [404],
  run: async (ctx, { card_id }) => {
    const card = await readableCard(ctx, card_id)
    const items = (await imagesOfCard(ctx.db, ctx.viewer.userId, card.card_id)).map((row) => ({
      ...presentImage(row),
      uploaded_by: contributorFor(ctx, card, { by: row.uploaded_by, at: row.created_at }),
    }))
    return { items, total: items.length }
  },
})

export const deleteImage = capability({
  name: 'cards.delete_image',
  summary: 'Delete a picture for good',
  description:
    'For people who may edit its card, and for its uploader while it is on no card. Former versions of the card lose it too.',
  scopes: ['record', 'case:write'],
  rest: ['DELETE /api/v1/images/{image_id}'],
  status: 204,
  input: z.object({ image_id: Id }),
  output: z.void(),
  errors: [404],
  run: (ctx, { image_id }) =>
    inTx(ctx, async (ctx) => {
      const image = await findReadableImage(ctx.db, ctx.viewer.userId, image_id)
      if (!image) throw notFound('Picture')
      if (image.card_id !== null) {
        const card = await editableAtAnyVersion(ctx, image.card_id)
        await audit(ctx, {
          action: 'card.image_deleted',
          subject: { type: 'card', id: card.card_id },
          workspaceId: card.workspace_id,
          details: { image_id },
        })
      }
      await removeImages(ctx.db, [image_id])
    }),
})
