import { Fragment } from 'react'

/** Shows a snippet whose hits the server marked with `<mark>`: as text, without the marks of Markdown. */
export function Marked({ text }: { text: string }) {
  return text.split(/(<mark>[\s\S]*?<\/mark>)/g).map((part, index) => {
    const hit = /^<mark>([\s\S]*)<\/mark>$/.exec(part)
    return hit ? (
      <mark key={index}>{plain(hit[1] ?? '')}</mark>
    ) : (
      <Fragment key={index}>{plain(part)}</Fragment>
    )
  })
}

const ENTITIES: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
}
/** The language after a fence is none of the reader's words. */
const plain = (text: string) =>
  text
    .replace(/(?:```|~~~)[\w+#-]*|`+|\*\*/g, '')
    .replace(/&(?:lt|gt|amp|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
