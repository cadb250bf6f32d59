import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { CopyButton } from '../copy-button.tsx'
import type { Piece } from './highlight.ts'
import { languageNamed } from './languages.ts'

/** Longer text is not coloured: a log of that length is searched, not read. */
const MAX_COLOURED = 20_000

/**
 * Code as it was written, with a copy button. The text shows at once, the colours when they are loaded. More
 * than one word behind the fence is no name of a language: it stands above the code, so that none is lost.
 */
export function CodeBlock({ info, text }: { info: string; text: string }) {
  const [pieces, setPieces] = useState<{ of: string; found: Piece[] }>()
  const known = text.length > MAX_COLOURED ? undefined : languageNamed(info.split(/\s/, 1)[0] ?? '')
  useEffect(() => {
    if (!known) return
    let isCurrent = true
    import('./highlight.ts')
      .then(({ highlighted }) => highlighted(known, text))
      .then((found) => isCurrent && found && setPieces({ of: text, found }))
      .catch(() => {})
    return () => {
      isCurrent = false
    }
  }, [known, text])
  return (
    <div className="code-block group/code relative">
      {/\s/.test(info) && <div className="text-soft text-xs">{info}</div>}
      {/* Long lines scroll inside the block, so it has to be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code className={pieces?.of === text ? 'hljs' : undefined}>
          {pieces?.of === text ? pieces.found.map(show) : text}
        </code>
      </pre>
      <div className="absolute top-1 right-1 rounded-md bg-sunken opacity-0 transition-opacity group-focus-within/code:opacity-100 group-hover/code:opacity-100 pointer-coarse:opacity-100 print:hidden">
        <CopyButton text={text} label="Copy code" />
      </div>
    </div>
  )
}

/** `title.function` is both a title and a function. */
const classOf = (scope: string) =>
  scope
    .split('.')
    .map((part, index) => (index === 0 ? `hljs-${part}` : `${part}_`))
    .join(' ')

const show = (piece: Piece, index: number): ReactNode =>
  typeof piece === 'string' ? (
    <Fragment key={index}>{piece}</Fragment>
  ) : (
    <span key={index} className={classOf(piece.scope)}>
      {piece.children.map(show)}
    </span>
  )
