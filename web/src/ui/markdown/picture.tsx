import { useState } from 'react'

export type ImageSize = { width: number; height: number }
/** The pictures that a text may show, by id; `own` is for the writer, who sees all that the server lets them. */
export type ShownImages = ReadonlyMap<string, ImageSize> | 'own'

const OWN_ADDRESS = /^\/api\/v1\/images\/([0-9a-f-]{36})$/i

/** Undefined for every address that is not a picture of this vault. */
const imageIdIn = (address: string | undefined): string | undefined =>
  OWN_ADDRESS.exec(address ?? '')?.[1]?.toLowerCase()

type Props = { address: string | undefined; alt: string; images: ShownImages | undefined; inLink?: boolean }

/**
 * Shows a picture of this card. One from another host would tell that host who reads the card, so the reader decides
 * by a click.
 */
export function Picture({ address, alt, images, inLink }: Props) {
  const [isGone, setGone] = useState(false)
  const id = imageIdIn(address)
  const size = id && images !== 'own' ? images?.get(id) : undefined
  if (isGone) return <span className="text-faint">{alt || 'Picture'} (deleted)</span>
  if (id && (images === 'own' || size)) {
    const picture = (
      <img
        src={address}
        alt={alt || 'Picture'}
        width={size?.width}
        height={size?.height}
        loading="lazy"
        onError={() => setGone(true)}
      />
    )
    return inLink ? (
      picture
    ) : (
      <a href={address} target="_blank" rel="noopener noreferrer">
        {picture}
      </a>
    )
  }
  if (inLink) return alt || 'Picture'
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {alt || 'Picture'}
    </a>
  )
}
