import { createTransport } from 'nodemailer'
import { MAX_SILENCE_MS } from '../shared/time.ts'

export type OutgoingMail = {
  /** Stays the same when a mail is sent again, so that receivers can detect the duplicate. */
  id: string
  to: string
  subject: string
  text: string
  html: string
}

export type Delivery =
  | { outcome: 'accepted' }
  | { outcome: 'refused'; error: string }
  /** A temporary failure. `serverDown`: the failure concerns all mails. */
  | { outcome: 'failed'; error: string; serverDown: boolean }

export type MailTransport = {
  send: (mail: OutgoingMail) => Promise<Delivery>
  /** Connects and signs in to the mail server; rejects if any step fails. */
  check: () => Promise<void>
}

export type SmtpOptions = { url: string; from: string; baseUrl: string }

const TIMEOUTS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: MAX_SILENCE_MS,
}

const CHECK_TIMEOUTS = {
  dnsTimeout: 2000,
  connectionTimeout: 2000,
  greetingTimeout: 2000,
  socketTimeout: 2000,
}

/** nodemailer's codes for a refused sender, receiver or content. */
const ABOUT_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE'])

/** SMTP reply: the server requires a login or TLS first (RFC 4954). */
const LOGIN_NEEDED = 530

type SmtpError = { code?: string; command?: string; responseCode?: number }

/** Whether the error concerns this mail alone; a wrong MAIL_FROM or login concerns all, so retry later. */
const isAboutTheMail = ({ code, command, responseCode }: SmtpError): boolean =>
  code !== undefined && ABOUT_THE_MAIL.has(code) && command !== 'MAIL FROM' && responseCode !== LOGIN_NEEDED

function deliveryOf(error: unknown): Delivery {
  if (!(error instanceof Error)) return { outcome: 'failed', error: String(error), serverDown: true }
  const { responseCode } = error as SmtpError
  const aboutTheMail = isAboutTheMail(error as SmtpError)
  const text = error.message.slice(0, 500)
  // No response code: nodemailer could not put the address into an envelope.
  if (aboutTheMail && (responseCode === undefined || responseCode >= 500))
    return { outcome: 'refused', error: text }
  return { outcome: 'failed', error: text, serverDown: !aboutTheMail }
}

/** Splits `Name <address>`, because nodemailer reads a colon or a comma as a group or a list. */
function senderOf(from: string): { name: string; address: string } {
  const [, name = '', address = from] = /^([^<>]*)<([^<>]*)>$/.exec(from.trim()) ?? []
  const quoted = /^"(.*)"$/.exec(name.trim())?.[1]
  return { name: quoted?.replaceAll(/\\(.)/g, '$1') ?? name.trim(), address: address.trim() }
}

export function smtpMail({ url, from, baseUrl }: SmtpOptions): MailTransport {
  const guarded = { url, disableFileAccess: true, disableUrlAccess: true }
  const transport = createTransport({ ...guarded, ...TIMEOUTS })
  const checked = createTransport({ ...guarded, ...CHECK_TIMEOUTS })
  const sender = senderOf(from)
  const domain = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  return {
    async send({ id, to, subject, text, html }) {
      try {
        await transport.sendMail({
          from: sender,
          // As an object, the address stays one address whatever characters it contains.
          to: { name: '', address: to },
          subject,
          text,
          html,
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
        return { outcome: 'accepted' }
      } catch (error) {
        return deliveryOf(error)
      }
    },
    async check() {
      await checked.verify()
    },
  }
}
