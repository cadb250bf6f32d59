import type { ReactNode } from 'react'
import type { CardImage } from '../../../api/images.ts'

type Props = { images: readonly CardImage[]; action?: (image: CardImage, name: string) => ReactNode }

/** Pictures that no text shows: small, each a link to itself. */
export function ImageList({ images, action }: Props) {
  return (
    <ul className="flex flex-wrap gap-3">
      {images.map((image, index) => (
        <li key={image.image_id} className="flex items-start gap-1">
          <a href={image.url} target="_blank" rel="noopener noreferrer">
            <img
              src={image.url}
              alt={`${index + 1} of ${images.length} on this card`}
              width={image.width}
              height={image.height}
              loading="lazy"
              className="max-h-32 w-auto rounded-md border border-line"
            />
          </a>
          {action?.(image, `picture ${index + 1}`)}
        </li>
      ))}
    </ul>
  )
}
