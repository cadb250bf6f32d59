import type { Migration } from './migrate.ts'

/** For counting what an address has been sent lately. It is compared without its case, see `hasRoomInMailbox`. */
export const mailsByRecipient: Migration = {
  name: '0053-mails-by-recipient',
  statements: () => ['create index outbox_recipient on outbox(lower(to_address), created_at)'],
}
