import type { Migration } from './migrate.ts'

/** Pictures on cards. Their bytes are base64 in rows of bounded size: both engines, replicas and backups carry text. */
export const cardImages: Migration = {
  name: '0035-card-images',
  statements: () => [
    `create table card_images (
      image_id text primary key,
      card_id text references cards(card_id),
      uploaded_by text not null references users(user_id),
      media_type text not null,
      width integer not null,
      height integer not null,
      size_bytes integer not null,
      sha256 text not null,
      created_at text not null
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
  ],
}
