export {
  cancelMail,
  cancelMails,
  cancelMailsTo,
  countMailsOfOtherKeys,
  enqueueMail,
  hasRoomInMailbox,
  isEveryAddressProven,
  lastFingerprint,
  lastMailAt,
  MAIL_JOB,
  type MailSection,
  mailbox,
  mailWithButton,
  requireRoomInMailbox,
  resealMails,
  type Words,
} from './outbox.ts'
export { sendDueMails, tidyOutbox, type WaitingMail } from './sender.ts'
