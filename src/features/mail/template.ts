import { DEFAULT_LANGUAGE, type Localised } from '../../core/language.ts'
import { escapeHtml } from '../../text/escape-html.ts'

/** English words, and between them what is written in the language of the reader. */
export type Words = string | readonly (string | Localised)[]

export type MailContent = {
  heading: string
  lines: readonly Words[]
  button: { label: string; url: string }
  footer: Words
}

const partsOf = (words: Words) => (typeof words === 'string' ? [words] : words)

const textOf = (words: Words): string =>
  partsOf(words)
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('')

const htmlOf = (words: Words): string =>
  partsOf(words)
    .map((part) => {
      if (typeof part === 'string') return escapeHtml(part)
      const text = escapeHtml(part.text)
      return part.language === DEFAULT_LANGUAGE
        ? text
        : `<span lang="${escapeHtml(part.language)}">${text}</span>`
    })
    .join('')

/** One plain mail with one thing to do, as text and as HTML that every mail client shows. */
export function mailWithButton({ heading, lines, button, footer }: MailContent): {
  text: string
  html: string
} {
  const text = [
    heading,
    '',
    ...lines.map(textOf),
    '',
    `${button.label}: ${button.url}`,
    '',
    textOf(footer),
    '',
  ].join('\n')
  const paragraphs = lines.map((line) => `<p>${htmlOf(line)}</p>`).join('')
  const html = `<!doctype html><html lang="en"><body style="font:15px/1.5 system-ui,sans-serif;color:#1c2330;max-width:480px;margin:24px auto;padding:0 16px">
<h1 style="font-size:20px">${escapeHtml(heading)}</h1>${paragraphs}
<p><a href="${escapeHtml(button.url)}" style="display:inline-block;background:#4f46e5;color:#fff;padding:8px 16px;border-radius:6px;text-decoration:none">${escapeHtml(button.label)}</a></p>
<p style="font-size:12px;color:#5b6472">${htmlOf(footer)}<br>${escapeHtml(button.url)}</p></body></html>`
  return { text, html }
}
