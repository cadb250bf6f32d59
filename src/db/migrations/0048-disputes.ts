import type { Migration } from './migrate.ts'

/** Payments that a bank has taken back for its customer: how much, and which credits went with them. */
export const disputes: Migration = {
  name: '0048-disputes',
  statements: () => [
    `create table billing_disputes (
      dispute_id text primary key,
      payment_intent text,
      invoice_id text,
      payment_id text references billing_payments(payment_id),
      amount_cents integer not null,
      credits_taken integer not null default 0,
      won_at text,
      created_at text not null
    )`,
    'create index billing_disputes_by_intent on billing_disputes(payment_intent) where payment_id is null',
    'create index billing_disputes_by_invoice on billing_disputes(invoice_id) where payment_id is null',
    'alter table billing_payments add column disputed_cents integer not null default 0',
  ],
}
