import type { Migration } from './migrate.ts'

export const billing: Migration = {
  name: '0006-billing',
  statements: () => [
    `create table billing_customers (
      provider text not null,
      user_id text not null references users(user_id),
      customer_id text not null unique,
      created_at text not null,
      primary key (provider, user_id)
    )`,
    `create table billing_subscriptions (
      subscription_id text primary key,
      provider text not null,
      customer_id text not null,
      user_id text not null references users(user_id),
      plan_id text,
      status text not null check (status in ('none', 'trialing', 'active', 'past_due', 'canceled')),
      current_period_end text,
      cancel_at_period_end integer not null,
      event_created bigint not null,
      event_rank integer not null,
      created_at text not null,
      updated_at text not null
    )`,
    'create index billing_subscriptions_by_user on billing_subscriptions(user_id, updated_at)',
    `create table billing_events (
      event_id text primary key,
      provider text not null,
      type text not null,
      received_at text not null
    )`,
    `create table billing_payments (
      payment_id text primary key,
      provider text not null,
      user_id text not null references users(user_id),
      kind text not null check (kind in ('pack', 'plan')),
      item_id text not null,
      payment_intent text,
      amount_cents integer not null,
      currency text not null,
      credits integer not null check (credits >= 0),
      refunded_cents integer not null default 0,
      credits_returned integer not null default 0,
      created_at text not null
    )`,
    'create index billing_payments_by_user on billing_payments(user_id, created_at)',
    'create index billing_payments_by_intent on billing_payments(payment_intent)',
    `create table billing_early_refunds (
      refund_key text primary key,
      payment_intent text,
      invoice_id text,
      refunded_cents integer not null,
      created_at text not null
    )`,
    'create index billing_early_refunds_by_invoice on billing_early_refunds(invoice_id)',
    `create table billing_invites (
      invite_id text primary key,
      code text not null unique,
      created_by text not null references users(user_id),
      note text,
      credits integer not null check (credits >= 0),
      max_uses integer not null check (max_uses > 0),
      uses integer not null default 0 check (uses <= max_uses),
      expires_at text not null,
      created_at text not null
    )`,
    'create index billing_invites_by_creator on billing_invites(created_by, created_at)',
    `create table billing_redemptions (
      user_id text primary key references users(user_id),
      invite_id text not null references billing_invites(invite_id),
      created_at text not null
    )`,
    `create table billing_dev_objects (
      object_id text primary key,
      kind text not null,
      customer_id text,
      data text not null,
      created_at text not null,
      updated_at text not null
    )`,
    'create index billing_dev_objects_by_customer on billing_dev_objects(customer_id, kind)',
    `create table billing_dev_events (
      event_id text primary key,
      payload text not null,
      created_at text not null,
      delivered_at text
    )`,
    'create index billing_dev_events_open on billing_dev_events(delivered_at, created_at)',
  ],
}
