import { DEFAULT_LANGUAGE, type Localised } from '../../core/language.ts'
import { escapeHtml } from '../../text/escape-html.ts'

export type MailLink = { text: string; url: string }

/** English text with links and localised parts, such as dates in the language of the reader. */
export type Words = string | readonly (string | Localised | MailLink)[]

/** A part of a long mail: lists, each under a heading of its own. */
export type MailSection = {
  heading: MailLink
  lists: readonly { heading: string; items: readonly Words[] }[]
}

export type MailContent = {
  heading: string
  lines: readonly Words[]
  sections?: readonly MailSection[]
  button: { label: string; url: string }
  footer: Words
}

const partsOf = (words: Words) => (typeof words === 'string' ? [words] : words)

const textOf = (words: Words): string =>
  partsOf(words)
    .map((part) => {
      if (typeof part === 'string') return part
      return 'url' in part ? `${part.text} (${part.url})` : part.text
    })
    .join('')

const linkHtml = ({ text, url }: MailLink): string =>
  `<a href="${escapeHtml(url)}" style="color:#4338ca">${escapeHtml(text)}</a>`

const htmlOf = (words: Words): string =>
  partsOf(words)
    .map((part) => {
      if (typeof part === 'string') return escapeHtml(part)
      const text = escapeHtml(part.text)
      if ('url' in part) return linkHtml(part)
      return part.language === DEFAULT_LANGUAGE
        ? text
        : `<span lang="${escapeHtml(part.language)}">${text}</span>`
    })
    .join('')

const sectionText = ({ heading, lists }: MailSection): string[] => [
  '',
  textOf([heading]),
  ...lists.flatMap((list) => ['', `${list.heading}:`, ...list.items.map((item) => `- ${textOf(item)}`)]),
]

const sectionHtml = ({ heading, lists }: MailSection): string =>
  `<h2 style="font-size:15px;margin:24px 0 0;border-top:1px solid #e3e6ec;padding-top:16px">${linkHtml(heading)}</h2>${lists
    .map(
      (list) =>
        `<h3 style="font-size:13px;margin:12px 0 4px;color:#5b6472">${escapeHtml(list.heading)}</h3><ul style="margin:0;padding-left:20px">${list.items
          .map((item) => `<li style="margin:0 0 4px;overflow-wrap:anywhere">${htmlOf(item)}</li>`)
          .join('')}</ul>`,
    )
    .join('')}`

/** A plain mail with one button, as text and as HTML that every mail client can show. */
export function mailWithButton({ heading, lines, sections = [], button, footer }: MailContent): {
  text: string
  html: string
} {
  const text = [
    heading,
    '',
    ...lines.map(textOf),
    ...sections.flatMap(sectionText),
    '',
    `${button.label}: ${button.url}`,
    '',
    textOf(footer),
    '',
  ].join('\n')
  const paragraphs = lines.map((line) => `<p>${htmlOf(line)}</p>`).join('')
  const html = `<!doctype html><html lang="en"><body style="font:15px/1.5 system-ui,sans-serif;color:#1c2330;max-width:480px;margin:24px auto;padding:0 16px">
<h1 style="font-size:20px">${escapeHtml(heading)}</h1>${paragraphs}${sections.map(sectionHtml).join('')}
<p style="margin-top:24px"><a href="${escapeHtml(button.url)}" style="display:inline-block;background:#4f46e5;color:#fff;padding:8px 16px;border-radius:6px;text-decoration:none">${escapeHtml(button.label)}</a></p>
<p style="font-size:12px;color:#5b6472">${htmlOf(footer)}<br>${escapeHtml(button.url)}</p></body></html>`
  return { text, html }
}
