import { escapeHtml } from '../../text/escape-html.ts'

/** HTML that is safe by construction: everything put into the template is escaped unless it is Html itself. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | false | null | undefined | readonly Html[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + print(parts[index - 1]) + string))
}

function print(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map((one) => one.text).join('')
  return escapeHtml(String(part))
}
