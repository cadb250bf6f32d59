export type CardImagesTable = {
  image_id: string
  /** Null until a card of the uploader names it. */
  card_id: string | null
  uploaded_by: string
  media_type: string
  width: number
  height: number
  size_bytes: number
  sha256: string
  created_at: string
}

/** The bytes of a picture in order, as base64. */
export type CardImagePartsTable = {
  image_id: string
  part: number
  content: string
}
