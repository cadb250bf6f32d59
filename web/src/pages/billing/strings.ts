/** The texts of these pages, in English. */

// Billing page
export const creditsAndBilling = 'Credits and billing'
export const creditsLead =
  'Searching your own and your team’s cards is free. A library search costs credits only when it finds something; publishing earns some.'
export const nothingCosts = 'Nothing costs anything here'
export const nothingCostsHint = 'Your own cards and those of your teams are always free.'
export const creditsAreOff = 'Credits are switched off on this server: nothing is ever charged.'
export const credits = 'Credits'
export const plans = 'Plans'
export const inviteCodes = 'Invite codes'
export const paymentCancelled = 'The payment was cancelled. Nothing was charged.'
export const dismiss = 'Dismiss'
export const paymentReceived = (added: string, balance: string) =>
  `Payment received. ${added} were added; your balance is ${balance}.`
export const paymentNotConfirmed =
  'The payment provider has not confirmed yet. Nothing is lost: the credits are booked as soon as it does, even if this page is closed.'
export const waitingForPayment = 'Waiting for the payment provider to confirm …'

// Credits tab
export const balance = 'Balance'
export const buyCredits = 'Buy credits'
export const buyCreditsLead = 'One payment, no subscription. Credits do not expire.'
export const historyLabel = 'History'
export const historyLead = 'Every booking, newest first. The balance is their sum, always.'
export const enoughForSearches = (searches: string) => `Enough for ${searches} with a hit.`
export const balanceOverBookings = (bookings: string) => `Balance over the last ${bookings}`
export const buyFor = (price: string) => `Buy for ${price}`
export const priceFor100 = (price: string) => `${price} for 100`
export const priceWithDiscount = (price: string, percent: number) => `${price}, ${percent}% less`
export const noBookingsHint =
  'The first is usually the welcome bonus. Each line says what moved, when, and the balance after it.'
export const noBookingsYet = 'No bookings yet'
export const creditHistory = 'Credit history'
export const when = 'When'
export const what = 'What'
export const welcomeBonus = 'Welcome bonus'
export const publishedACard = 'Published a card'
export const librarySearch = 'Library search with a hit'
export const cardFoundUseful = 'Somebody found your card useful'
export const boughtPack = 'Bought a credit pack'
export const creditsOfPlan = 'Credits of your plan'
export const redeemedCode = 'Redeemed an invite code'
export const codeWasUsed = 'Your invite code was used'
export const refund = 'Refund'
export const correction = 'Correction'

// Invite codes
export const redeemACode = 'Redeem a code'
export const redeemLead = 'Once per account. The person who gave it to you gets credits too.'
export const yourCodes = 'Your codes'
export const yourCodesLead = 'Give one to a colleague: both of you get credits when it is redeemed.'
export const creditsAdded = (added: string, balance: string) => `${added} added. Your balance is ${balance}.`
export const creditsPending = (credits: string) =>
  `${credits} will be added once you have confirmed your e-mail address.`
export const redeemedWithoutCredits =
  'Redeemed, without credits: an account with your address was deleted a short time ago.'
export const inviteCode = 'Invite code'
export const redeem = 'Redeem'
export const codeIsReady = 'The code is ready to copy.'
export const note = 'Note'
export const noteHint = 'Optional, only you see it'
export const validFor = 'Valid for'
export const sevenDays = '7 days'
export const thirtyDays = '30 days'
export const ninetyDays = '90 days'
export const createCode = 'Create code'
export const openLabel = 'Open'
export const used = 'Used'
export const expired = 'Expired'
export const withdrawn = 'Withdrawn'
export const codeWithdrawn = (code: string) => `${code} is withdrawn. Nobody can redeem it any more.`
export const noCodesHint = 'A code works once unless you say otherwise. Up to ten can be open at a time.'
export const noCodesYet = 'No codes yet'
export const code = 'Code'
export const copyCode = (code: string) => `Copy code ${code}`
export const state = 'State'
export const gives = 'Gives'
export const usesOf = (uses: number, max: number) => `${uses} of ${max}`
export const until = 'Until'
export const actions = 'Actions'
export const withdrawCode = (code: string) => `Withdraw code ${code}`

// Plans
export const stripeTakesPayments = 'Stripe takes the payments; card data never touches this server.'
export const developmentPayments =
  'This server uses the development provider: the whole flow works, and no money moves.'
export const noPayments = 'This server takes no payments.'
export const openPortal = 'Open the billing portal'
export const subscribeFor = (price: string, interval: string) => `Subscribe for ${price} a ${interval}`
export const portalHint = 'Switch or cancel the plan, change the card, and find receipts in the portal. '
export const yourPlan = 'Your plan'
export const creditsEachMonth = (credits: string) => `${credits} each month`
export const noMonthlyCredits = 'No monthly credits'
export const paymentFailed = (plan: string) =>
  `The last payment for ${plan} failed. Update the card in the billing portal to keep the plan; nothing is lost meanwhile.`
export const planEnds = (plan: string, day: string) =>
  `${plan} ends on ${day} and is not renewed. You keep the credits you have.`
export const planRenews = (plan: string, day: string) => `${plan} renews on ${day}.`
export const trialEnds = (plan: string, day: string) => `The trial of ${plan} ends on ${day}.`
