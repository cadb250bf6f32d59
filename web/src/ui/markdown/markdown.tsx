import { createElement, Fragment, type ReactNode, useEffect, useState } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { type Block, parseBlocks } from './blocks.ts'
import type { Piece } from './highlight.ts'
import { type Inline, parseInlines, safeAddress } from './inlines.ts'

type ImageSize = { width: number; height: number }
/** The pictures that a text may show, by id; `own` shows all that the server allows. */
export type ShownImages = ReadonlyMap<string, ImageSize> | 'own'

const OWN_ADDRESS = /^\/api\/v1\/images\/([0-9a-f-]{36})$/i

/** Returns undefined for addresses of other hosts. */
const imageIdIn = (address: string | undefined): string | undefined =>
  OWN_ADDRESS.exec(address ?? '')?.[1]?.toLowerCase()

type Props = { address: string | undefined; alt: string; images: ShownImages | undefined; inLink?: boolean }

/**
 * Shows a picture of this card. A picture from another host would tell that host who reads the card, so it
 * needs a click.
 */
function Picture({ address, alt, images, inLink }: Props) {
  const [isGone, setGone] = useState(false)
  const id = imageIdIn(address)
  const size = id && images !== 'own' ? images?.get(id) : undefined
  if (isGone) return <span className="text-faint">{alt || 'Picture'} (deleted)</span>
  if (id && (images === 'own' || size)) {
    const picture = (
      <img
        src={address}
        alt={alt || 'Picture'}
        width={size?.width}
        height={size?.height}
        loading="lazy"
        onError={() => setGone(true)}
      />
    )
    return inLink ? (
      picture
    ) : (
      <a href={address} target="_blank" rel="noopener noreferrer">
        {picture}
      </a>
    )
  }
  if (inLink) return alt || 'Picture'
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {alt || 'Picture'}
    </a>
  )
}

export type Reading = {
  /** Without it, every picture is a link. */
  images?: ShownImages | undefined
  /** The lines were wrapped at a width: a single line break means nothing. */
  isWrapped?: boolean
}

export function Markdown({ children, ...reading }: Reading & { children: string }) {
  return (
    <div className="reading">
      {parseBlocks(children).map((block, index) => showBlock(block, index, reading))}
    </div>
  )
}

const spans = (text: string, reading: Reading) =>
  parseInlines(text, reading.isWrapped).map((inline, index) => showInline(inline, index, reading.images))

/** Headings of a text begin below those of its page, card and part. */
const HEADINGS = ['h4', 'h5', 'h6']

function showBlock(block: Block, key: number, reading: Reading): ReactNode {
  const inside = (blocks: Block[]) => blocks.map((inner, index) => showBlock(inner, index, reading))
  switch (block.kind) {
    case 'paragraph':
      return (
        <p key={key} dir="auto">
          {spans(block.text, reading)}
        </p>
      )
    case 'heading':
      return createElement(
        HEADINGS[block.level - 1] ?? 'h6',
        { key, dir: 'auto' },
        spans(block.text, reading),
      )
    case 'code':
      return <CodeBlock key={key} info={block.info} text={block.text} />
    case 'quote':
      return <blockquote key={key}>{inside(block.blocks)}</blockquote>
    case 'rule':
      return <hr key={key} />
    case 'list':
      return <List key={key} list={block} reading={reading} />
    case 'table':
      return <Table key={key} table={block} reading={reading} />
  }
}

type ListProps = { list: Extract<Block, { kind: 'list' }>; reading: Reading }

function List({ list, reading }: ListProps) {
  const items = list.items.map((item, index) => (
    <li key={index} dir="auto" className={item.checked === null ? undefined : 'task'}>
      {item.checked !== null && <input type="checkbox" checked={item.checked} disabled aria-label="Task" />}
      {item.blocks.map((block, at) =>
        block.kind === 'paragraph' ? (
          <ItemText key={at} loose={list.loose}>
            {spans(block.text, reading)}
          </ItemText>
        ) : (
          showBlock(block, at, reading)
        ),
      )}
    </li>
  ))
  if (list.start === null) return <ul>{items}</ul>
  return <ol start={list.start === 1 ? undefined : list.start}>{items}</ol>
}

/** Without a direction of its own: the item takes it from this text. */
const ItemText = ({ loose, children }: { loose: boolean; children: ReactNode }) =>
  loose ? <p>{children}</p> : children

type TableProps = { table: Extract<Block, { kind: 'table' }>; reading: Reading }

/** A wide table scrolls, so the keyboard must reach it. */
function Table({ table: { head, align, rows }, reading }: TableProps) {
  return (
    <section aria-label="Table" className="table-scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} dir="auto" style={{ textAlign: align[index] }}>
                {spans(cell, reading)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} dir="auto" style={{ textAlign: align[index] }}>
                  {spans(cell, reading)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function showInline(inline: Inline, key: number, images: ShownImages | undefined): ReactNode {
  if (typeof inline === 'string') return <Fragment key={key}>{inline}</Fragment>
  switch (inline.kind) {
    case 'break':
      return <br key={key} />
    case 'code':
      return <code key={key}>{inline.text}</code>
    case 'image':
      return <Picture key={key} address={safeAddress(inline.src)} alt={inline.alt} images={images} />
    case 'link':
      return (
        <a key={key} href={inline.href} target="_blank" rel="noopener noreferrer nofollow">
          {inline.children.map((child, index) =>
            typeof child === 'object' && child.kind === 'image' ? (
              <Picture key={index} address={safeAddress(child.src)} alt={child.alt} images={images} inLink />
            ) : (
              showInline(child, index, images)
            ),
          )}
        </a>
      )
    default:
      return createElement(
        inline.kind,
        { key },
        inline.children.map((child, index) => showInline(child, index, images)),
      )
  }
}

/** Longer text is not coloured. */
const MAX_COLOURED = 20_000

/**
 * The code shows at once, the colours when they are loaded. More than one word behind the fence stands
 * above the code, so that none is lost.
 */
function CodeBlock({ info, text }: { info: string; text: string }) {
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
      {/* Long lines scroll inside the block, so the keyboard must reach it. */}
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

/** Names that people write after the fence. */
const NAMES = `bash sh zsh|c h|cpp c++ cc hpp|csharp cs c#|css|diff patch|dockerfile docker|go golang|ini toml conf properties env
|java|javascript js jsx mjs cjs node|json json5 jsonc jsonl|kotlin kt|lua|makefile make|markdown md|perl pl|php
|powershell ps1 ps|python py pycon|ruby rb|rust rs|scss sass|shell console terminal shellsession|sql postgres postgresql sqlite mysql
|swift|typescript ts tsx mts|xml html svg vue|yaml yml`

const BY_NAME = new Map(
  NAMES.split('|').flatMap((group) => {
    const names = group.trim().split(/\s+/)
    return names.map((name): [string, string] => [name, names[0] ?? name])
  }),
)

const languageNamed = (name: string): string | undefined => BY_NAME.get(name.toLowerCase())
