import { type ReactNode, useState } from 'react'
import { Tabs } from '../../ui/tabs.tsx'
import { Chat } from './chat.tsx'
import { TicketForm } from './ticket-form.tsx'

export type SupportTab = 'chat' | 'ticket' | 'mine'

type Props = {
  email: string
  tab: SupportTab
  onTab: (tab: SupportTab) => void
  /** Left out if nobody is signed in. */
  mine?: ReactNode
}

/** The last question of the chat begins the message of a ticket, so that nobody has to write it twice. */
export function Support({ email, tab, onTab, mine }: Props) {
  const [asked, setAsked] = useState('')
  return (
    <Tabs<SupportTab>
      label="Support"
      value={tab}
      onChange={onTab}
      tabs={[
        {
          value: 'chat',
          label: 'Ask',
          keep: true,
          content: <Chat onAsked={setAsked} onTicket={() => onTab('ticket')} />,
        },
        {
          value: 'ticket',
          label: 'Write to us',
          keep: true,
          content: <TicketForm email={email} asked={asked} />,
        },
        ...(mine ? [{ value: 'mine' as const, label: 'My tickets', content: mine }] : []),
      ]}
    />
  )
}
