import { escapeHtml } from '../../text/escape-html.ts'

export type MailContent = {
  heading: string
  lines: string[]
  button: { label: string; url: string }
  footer: string
}

/** One plain mail with one thing to do, as text and as HTML that every mail client shows. */
export function mailWithButton({ heading, lines, button, footer }: MailContent): {
  text: string
  html: string
} {
  const text = [heading, '', ...lines, '', `${button.label}: ${button.url}`, '', footer, ''].join('\n')
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')
  const html = `<!doctype html><html lang="en"><body style="font:15px/1.5 system-ui,sans-serif;color:#1c2330;max-width:480px;margin:24px auto;padding:0 16px">
<h1 style="font-size:20px">${escapeHtml(heading)}</h1>${paragraphs}
<p><a href="${escapeHtml(button.url)}" style="display:inline-block;background:#4f46e5;color:#fff;padding:8px 16px;border-radius:6px;text-decoration:none">${escapeHtml(button.label)}</a></p>
<p style="font-size:12px;color:#5b6472">${escapeHtml(footer)}<br>${escapeHtml(button.url)}</p></body></html>`
  return { text, html }
}
