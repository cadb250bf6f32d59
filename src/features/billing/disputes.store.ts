import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { BillingDisputesTable } from '../../db/tables/billing.ts'

export type DisputeRow = Selectable<BillingDisputesTable>

export function findDispute(db: Db, disputeId: string): Promise<DisputeRow | undefined> {
  return db.selectFrom('billing_disputes').selectAll().where('dispute_id', '=', disputeId).executeTakeFirst()
}

export async function insertDispute(db: Db, row: Insertable<BillingDisputesTable>): Promise<void> {
  await db.insertInto('billing_disputes').values(row).execute()
}

/** Disputes that were reported before the payment they are about. */
export function earlyDisputes(
  db: Db,
  payment: { paymentIntent: string | null; paymentId: string },
): Promise<DisputeRow[]> {
  return db
    .selectFrom('billing_disputes')
    .selectAll()
    .where('payment_id', 'is', null)
    .where('won_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('invoice_id', '=', payment.paymentId),
        eb('payment_intent', '=', payment.paymentIntent ?? ''),
      ]),
    )
    .orderBy('dispute_id')
    .execute()
}

/** Cents and credits are added; they are negative when the dispute was won. */
async function addToPayment(
  db: Db,
  paymentId: string,
  more: { cents: number; credits: number },
): Promise<void> {
  await db
    .updateTable('billing_payments')
    .set((eb) => ({
      disputed_cents: eb('disputed_cents', '+', more.cents),
      credits_returned: eb('credits_returned', '+', more.credits),
    }))
    .where('payment_id', '=', paymentId)
    .execute()
}

export async function saveTaken(
  db: Db,
  dispute: { disputeId: string; paymentId: string; amountCents: number },
  creditsTaken: number,
): Promise<void> {
  await db
    .updateTable('billing_disputes')
    .set({ payment_id: dispute.paymentId, credits_taken: creditsTaken })
    .where('dispute_id', '=', dispute.disputeId)
    .execute()
  await addToPayment(db, dispute.paymentId, { cents: dispute.amountCents, credits: creditsTaken })
}

export async function saveWon(db: Db, dispute: DisputeRow, creditsGiven: number, now: string): Promise<void> {
  await db
    .updateTable('billing_disputes')
    .set({ won_at: now })
    .where('dispute_id', '=', dispute.dispute_id)
    .execute()
  if (dispute.payment_id !== null)
    await addToPayment(db, dispute.payment_id, {
      cents: -dispute.amount_cents,
      credits: -creditsGiven,
    })
}
