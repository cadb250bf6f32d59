import { useMutation, useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type CardImage, deleteImage } from '../../../api/images.ts'
import { queryClient } from '../../../api/query.ts'
import { IconButton } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { PartNotLoaded } from '../../../ui/states.tsx'
import { toast, toastError } from '../../../ui/toast.tsx'
import { ImageList } from './image-list.tsx'
import { cardImagesQuery } from './use-card-images.ts'

/** The pictures of a card that is being edited. Everybody who reads the card sees them, in the text or under it. */
export function ImagesField({ cardId }: { cardId: string }) {
  const query = useQuery(cardImagesQuery(cardId))
  const { data } = query
  const [asked, setAsked] = useState<CardImage | null>(null)
  const remove = useMutation({
    mutationFn: (image: CardImage) => deleteImage({ image_id: image.image_id }),
    onSuccess: () => {
      setAsked(null)
      toast('The picture is deleted.')
      return queryClient.invalidateQueries({ queryKey: cardImagesQuery(cardId).queryKey })
    },
    onError: toastError,
  })
  if (!data?.items.length) return <PartNotLoaded what="The pictures of this card" query={query} />
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Pictures</legend>
      <ImageList
        images={data.items}
        action={(image, name) => (
          <IconButton label={`Delete ${name}`} onClick={() => setAsked(image)}>
            <Trash2 size={14} />
          </IconButton>
        )}
      />
      <p className="mt-1.5 text-xs text-faint">
        All readers of the card see them: in its text, or below it if no text shows them.
      </p>
      {asked && (
        <ConfirmDialog
          title="Delete this picture?"
          action="Delete for good"
          onClose={() => setAsked(null)}
          mutation={{ mutate: () => remove.mutate(asked), isPending: remove.isPending }}
        >
          It is deleted at once and for good, also from former versions of the card.
        </ConfirmDialog>
      )}
    </fieldset>
  )
}
