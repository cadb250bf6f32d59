/**
 * A subscription must not run on. Only the provider can end it, and nothing is asked from it inside a transaction: so the
 * transaction stops with this, the provider cancels, and the event is applied once more. The message and the details are
 * for the operator, who refunds the payment.
 */
export class MustCancel extends Error {
  readonly subscriptionId: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(subscriptionId: string, message: string, details: Readonly<Record<string, unknown>>) {
    super(message)
    this.subscriptionId = subscriptionId
    this.details = details
  }
}
