import type { DevEvent, DevObject } from '../../adapters/payments/development/objects.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'

type Kind = DevObject['kind']
type OfKind<K extends Kind> = Extract<DevObject, { kind: K }>

export async function loadDevObject<K extends Kind>(db: Db, kind: K, id: string): Promise<OfKind<K> | null> {
  const row = await db
    .selectFrom('billing_dev_objects')
    .select('data')
    .where('object_id', '=', id)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row ? fromJson<OfKind<K>>(row.data) : null
}

/** Newest first. */
export async function listDevObjects<K extends Kind>(
  db: Db,
  kind: K,
  customerId: string,
): Promise<OfKind<K>[]> {
  const rows = await db
    .selectFrom('billing_dev_objects')
    .select('data')
    .where('customer_id', '=', customerId)
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .orderBy('object_id')
    .execute()
  return rows.map((row) => fromJson<OfKind<K>>(row.data))
}

/** A few rows on one person's machine, so the state is read out of the JSON here. */
export async function listDueSubscriptions(db: Db, now: number): Promise<OfKind<'subscription'>[]> {
  const rows = await db
    .selectFrom('billing_dev_objects')
    .select('data')
    .where('kind', '=', 'subscription')
    .execute()
  return rows
    .map((row) => fromJson<OfKind<'subscription'>>(row.data))
    .filter((subscription) => subscription.status === 'active' && subscription.periodEnd <= now)
}

export async function saveDevObjects(db: Db, objects: readonly DevObject[], now: string): Promise<void> {
  for (const object of objects) {
    const data = toJson(object)
    await db
      .insertInto('billing_dev_objects')
      .values({
        object_id: object.id,
        kind: object.kind,
        customer_id: object.customer,
        data,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.column('object_id').doUpdateSet({ data, updated_at: now }))
      .execute()
  }
}

export async function saveDevEvents(db: Db, events: readonly DevEvent[], now: string): Promise<void> {
  for (const event of events) {
    await db
      .insertInto('billing_dev_events')
      .values({ event_id: event.id, payload: toJson(event), created_at: now, delivered_at: null })
      .execute()
  }
}

export function listUndelivered(db: Db): Promise<{ event_id: string; payload: string }[]> {
  return db
    .selectFrom('billing_dev_events')
    .select(['event_id', 'payload'])
    .where('delivered_at', 'is', null)
    .orderBy('created_at')
    .execute()
}

export async function markDelivered(db: Db, eventId: string, now: string): Promise<void> {
  await db
    .updateTable('billing_dev_events')
    .set({ delivered_at: now })
    .where('event_id', '=', eventId)
    .execute()
}

const SECRET_ID = 'webhook_secret'

/** The first writer's secret stays, also when several processes start at once. */
export async function keepDevSecret(db: Db, candidate: string, now: string): Promise<string> {
  await db
    .insertInto('billing_dev_objects')
    .values({
      object_id: SECRET_ID,
      kind: 'secret',
      customer_id: null,
      data: candidate,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('object_id').doNothing())
    .execute()
  const row = await db
    .selectFrom('billing_dev_objects')
    .select('data')
    .where('object_id', '=', SECRET_ID)
    .executeTakeFirstOrThrow()
  return row.data
}
