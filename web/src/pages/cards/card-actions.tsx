import { useNavigate } from '@tanstack/react-router'
import {
  Cable,
  Ellipsis,
  FileText,
  Flag,
  History,
  Link as LinkIcon,
  Maximize2,
  Merge,
  MessageSquareText,
  Package,
  Pencil,
  Trash2,
  Users,
} from 'lucide-react'
import { useState } from 'react'
import type { Card } from '../../api/types.ts'
import { useMe } from '../../session.ts'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-button.tsx'
import { Menu, MenuItem, MenuLabel } from '../../ui/menu.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardLink } from './card-link.ts'
import { cardAsMarkdown, cardAsPrompt } from './card-text.ts'
import {
  CitesDialog,
  type DialogProps,
  LinkDialog,
  MergeDialog,
  ReportDialog,
  ShareDialog,
} from './lazy-dialogs.tsx'
import { useMayShare } from './sharing/use-options.ts'
import { useRemoveCard } from './use-remove-card.ts'

const DIALOGS = {
  share: ({ card, onClose }: DialogProps) => <ShareDialog cards={[card]} onClose={onClose} />,
  cites: CitesDialog,
  link: LinkDialog,
  merge: MergeDialog,
  report: ReportDialog,
}

type AskedFor = keyof typeof DIALOGS

/** Everything that can be done with a card; what is not allowed is not offered. */
export function CardActions({ card, inPane }: { card: Card; inPane: boolean }) {
  const navigate = useNavigate()
  const [asked, setAsked] = useState<AskedFor | null>(null)
  const AskedDialog = asked && DIALOGS[asked]
  const mayShare = useMayShare(card)
  const params = { cardId: card.card_id }
  return (
    <div data-screen="" className="flex items-center gap-1 max-xs:flex-wrap">
      {inPane && (
        <IconButton
          label="Open the page of this card"
          onClick={() => void navigate({ to: '/cards/$cardId', params })}
        >
          <Maximize2 size={14} />
        </IconButton>
      )}
      <CopyMenu card={card} />
      {mayShare && (
        <Button size="sm" onClick={() => setAsked('share')}>
          <Users size={14} aria-hidden />
          Share
        </Button>
      )}
      {card.can_edit && (
        <LinkButton to="/cards/$cardId/edit" params={params} size="sm">
          <Pencil size={14} aria-hidden />
          Edit
        </LinkButton>
      )}
      <MoreMenu card={card} ask={setAsked} />
      {AskedDialog && <AskedDialog card={card} onClose={() => setAsked(null)} />}
    </div>
  )
}

function CopyMenu({ card }: { card: Card }) {
  const copy = (text: string, what: string) =>
    void copyText(text).then(() => toast(`Copied as ${what}.`), toastError)
  return (
    <Menu
      trigger={
        <IconButton label="Copy">
          <FileText size={14} />
        </IconButton>
      }
    >
      <MenuItem icon={<FileText size={16} />} onSelect={() => copy(cardAsMarkdown(card), 'Markdown')}>
        Copy as Markdown
      </MenuItem>
      <MenuItem icon={<MessageSquareText size={16} />} onSelect={() => copy(cardAsPrompt(card), 'a prompt')}>
        Copy as a prompt
      </MenuItem>
      <MenuItem icon={<LinkIcon size={16} />} onSelect={() => copy(cardLink(card.card_id), 'a link')}>
        Copy link
      </MenuItem>
    </Menu>
  )
}

function MoreMenu({ card, ask }: { card: Card; ask: (dialog: AskedFor) => void }) {
  const me = useMe()
  const navigate = useNavigate()
  const remove = useRemoveCard(card)
  const own = card.owner_id === me.user_id
  const params = { cardId: card.card_id }
  return (
    <Menu
      trigger={
        <IconButton label="More">
          <Ellipsis size={16} />
        </IconButton>
      }
    >
      {card.can_edit && (
        <>
          <MenuItem icon={<Package size={16} />} onSelect={() => ask('cites')}>
            Edit cites …
          </MenuItem>
          <MenuItem icon={<Cable size={16} />} onSelect={() => ask('link')}>
            Link to another card …
          </MenuItem>
          <MenuItem icon={<Merge size={16} />} onSelect={() => ask('merge')}>
            Merge into another card …
          </MenuItem>
        </>
      )}
      {card.can_edit && (
        <MenuItem
          icon={<History size={16} />}
          onSelect={() => void navigate({ to: '/cards/$cardId/history', params })}
        >
          History
        </MenuItem>
      )}
      {own && (
        <MenuItem
          danger
          icon={<Trash2 size={16} />}
          onSelect={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/cards' }) })}
        >
          Delete
        </MenuItem>
      )}
      {!own && (
        <MenuItem icon={<Flag size={16} />} onSelect={() => ask('report')}>
          Report …
        </MenuItem>
      )}
      {!own && !card.can_edit && <MenuLabel>{card.owner_name} looks after this card</MenuLabel>}
    </Menu>
  )
}
