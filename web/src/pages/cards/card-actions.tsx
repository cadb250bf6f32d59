import { useMutation } from '@tanstack/react-query'
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
import { useRef, useState } from 'react'
import type { CardField } from '#server/shared/card-fields.ts'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Card } from '../../api/types.ts'
import { NetworkError } from '../../lib/reachable.ts'
import { useMe } from '../../session.ts'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-button.tsx'
import { Menu, MenuItem, MenuLabel } from '../../ui/menu.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { firstTexts } from './card-badges.tsx'
import { cardChanged, listsChanged } from './card-queries.ts'
import {
  CitesDialog,
  type DialogProps,
  LinkDialog,
  MergeDialog,
  ReportDialog,
  ShareDialog,
} from './lazy-parts.tsx'
import { useMayShare } from './sharing.ts'
import * as strings from './strings.ts'

const DIALOGS = {
  share: ({ card, onClose }: DialogProps) => <ShareDialog cards={[card]} onClose={onClose} />,
  cites: CitesDialog,
  link: LinkDialog,
  merge: MergeDialog,
  report: ReportDialog,
}

type AskedFor = keyof typeof DIALOGS

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
          label={strings.openPageOfCard}
          onClick={() => void navigate({ to: '/cards/$cardId', params })}
        >
          <Maximize2 size={14} />
        </IconButton>
      )}
      <CopyMenu card={card} />
      {mayShare && (
        <Button size="sm" onClick={() => setAsked('share')}>
          <Users size={14} aria-hidden />
          {strings.share}
        </Button>
      )}
      {card.can_edit && (
        <LinkButton to="/cards/$cardId/edit" params={params} size="sm">
          <Pencil size={14} aria-hidden />
          {strings.edit}
        </LinkButton>
      )}
      <MoreMenu card={card} ask={setAsked} />
      {AskedDialog && <AskedDialog card={card} onClose={() => setAsked(null)} />}
    </div>
  )
}

function CopyMenu({ card }: { card: Card }) {
  const copy = (text: string, what: string) =>
    void copyText(text).then(() => toast(strings.copiedAs(what)), toastError)
  return (
    <Menu
      trigger={
        <IconButton label={strings.copy}>
          <FileText size={14} />
        </IconButton>
      }
    >
      <MenuItem icon={<FileText size={16} />} onSelect={() => copy(cardAsMarkdown(card), strings.markdown)}>
        {strings.copyAsMarkdown}
      </MenuItem>
      <MenuItem
        icon={<MessageSquareText size={16} />}
        onSelect={() => copy(cardAsPrompt(card), strings.aPrompt)}
      >
        {strings.copyAsPrompt}
      </MenuItem>
      <MenuItem icon={<LinkIcon size={16} />} onSelect={() => copy(cardLink(card.card_id), strings.aLink)}>
        {strings.copyLink}
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
        <IconButton label={strings.more}>
          <Ellipsis size={16} />
        </IconButton>
      }
    >
      {card.can_edit && (
        <>
          <MenuItem icon={<Package size={16} />} onSelect={() => ask('cites')}>
            {strings.editCitesPending}
          </MenuItem>
          <MenuItem icon={<Cable size={16} />} onSelect={() => ask('link')}>
            {strings.linkToAnotherPending}
          </MenuItem>
          <MenuItem icon={<Merge size={16} />} onSelect={() => ask('merge')}>
            {strings.mergeIntoAnotherPending}
          </MenuItem>
        </>
      )}
      {card.can_read_history && (
        <MenuItem
          icon={<History size={16} />}
          onSelect={() => void navigate({ to: '/cards/$cardId/history', params })}
        >
          {strings.historyLabel}
        </MenuItem>
      )}
      {own && (
        <MenuItem
          danger
          icon={<Trash2 size={16} />}
          onSelect={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/cards' }) })}
        >
          {strings.deleteLabel}
        </MenuItem>
      )}
      {!own && (
        <MenuItem icon={<Flag size={16} />} onSelect={() => ask('report')}>
          {strings.reportPending}
        </MenuItem>
      )}
      {!own && !card.can_edit && <MenuLabel>{strings.ownerLooksAfter(card.owner_name)}</MenuLabel>}
    </Menu>
  )
}

export const cardLink = (cardId: string) => `${location.origin}/cards/${cardId}`

type Readable = Pick<Card, Exclude<CardField, 'card_payload' | 'scope_notes'> | 'evidences'>

/** Returns the card as a Markdown document. */
export function cardAsMarkdown(card: Readable): string {
  const parts = [`# ${card.title}`]
  for (const { field, label } of firstTexts(card.card_type)) {
    const text = card[field]
    if (text) parts.push(`## ${label}`, text)
  }
  if (card.steps.length) parts.push(strings.documentSteps, stepLines(card))
  if (card.body) parts.push(strings.documentNotes, card.body)
  for (const evidence of card.evidences ?? [])
    parts.push(strings.documentEvidence(evidence.kind), fence(evidence.content))
  const environment = Object.entries(card.environment ?? {})
  if (environment.length)
    parts.push(
      strings.documentEnvironment,
      environment.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    )
  if (card.tags.length) parts.push(strings.documentTags(card.tags.join(', ')))
  return `${parts.join('\n\n')}\n`
}

/** Returns the card as a message to an agent. */
export function cardAsPrompt(card: Readable): string {
  return [strings.promptLead, '<card>', cardAsMarkdown(card).trim(), '</card>'].join('\n')
}

const stepLines = (card: Readable) =>
  card.steps
    .toSorted((a, b) => a.order - b.order)
    .map((step, index) => `${index + 1}. ${step.action}${step.result ? `\n   Result: ${step.result}` : ''}`)
    .join('\n')

/** Returns a fence longer than any sequence of backticks inside, so that the text cannot end it. */
function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), (row) => row[0].length))
  const marks = '`'.repeat(longest + 1)
  return `${marks}\n${text}\n${marks}`
}

/** Deletes a card and offers undo. An earlier try whose answer was lost may have deleted it already. */
function useRemoveCard({ card_id }: Card) {
  const isLost = useRef(false)
  return useMutation({
    mutationFn: () =>
      call('DELETE /api/v1/cards/{card_id}', { card_id }).catch((error: unknown) => {
        if (isLost.current && error instanceof ApiError && error.status === 404) return
        isLost.current = error instanceof NetworkError
        throw error
      }),
    onError: toastError,
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: ['card', card_id] })
      listsChanged()
      toast(strings.cardDeleted, {
        undo: () =>
          void call('POST /api/v1/cards/{card_id}/undelete', { card_id }).then(cardChanged, toastError),
      })
    },
  })
}
