import { createTransport } from 'nodemailer'
import { LONGEST_SILENCE_MS } from '../shared/time.ts'

export type OutgoingMail = {
  /** Stays the same when a mail is sent again, so that receivers can tell it is the same one. */
  id: string
  to: string
  subject: string
  text: string
  html: string
}

export type Delivery =
  | { outcome: 'accepted' }
  /** The server refuses this mail for good. */
  | { outcome: 'refused'; error: string }
  /** Not now. `serverDown`: no mail gets through at the moment, not just this one. */
  | { outcome: 'failed'; error: string; serverDown: boolean }

export type MailTransport = {
  send: (mail: OutgoingMail) => Promise<Delivery>
  /** Connects, waits for the greeting and signs in where SMTP_URL says so; rejects where any of it fails. */
  check: () => Promise<void>
}

export type SmtpOptions = { url: string; from: string; baseUrl: string }

const TIMEOUTS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: LONGEST_SILENCE_MS,
}

/** The check whether mail works must not take long. */
const CHECK_TIMEOUTS = {
  dnsTimeout: 2000,
  connectionTimeout: 2000,
  greetingTimeout: 2000,
  socketTimeout: 2000,
}

/** nodemailer says with these that a server has refused the sender, the receiver or the content. */
const ABOUT_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE'])

/** The server wants a login or TLS first (RFC 4954). */
const LOGIN_NEEDED = 530

type SmtpError = { code?: string; command?: string; responseCode?: number }

/**
 * A server that refuses MAIL_FROM, or everybody without a login, refuses every mail until the operator has changed a
 * setting. These mails wait, as for a server that is down.
 */
const isAboutTheMail = ({ code, command, responseCode }: SmtpError): boolean =>
  code !== undefined && ABOUT_THE_MAIL.has(code) && command !== 'MAIL FROM' && responseCode !== LOGIN_NEEDED

function deliveryOf(error: unknown): Delivery {
  if (!(error instanceof Error)) return { outcome: 'failed', error: String(error), serverDown: true }
  const { responseCode } = error as SmtpError
  const aboutTheMail = isAboutTheMail(error as SmtpError)
  const text = error.message.slice(0, 500)
  // Without a response the address itself could not be put into an envelope.
  if (aboutTheMail && (responseCode === undefined || responseCode >= 500))
    return { outcome: 'refused', error: text }
  return { outcome: 'failed', error: text, serverDown: !aboutTheMail }
}

/** `Name <address>` as an object: otherwise a colon in the name makes a group of it, and a comma two senders. */
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
          // An address given as an object stays one address, whatever characters it has.
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
