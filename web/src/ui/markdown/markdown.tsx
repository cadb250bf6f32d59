import { createElement, Fragment, type ReactNode } from 'react'
import { type Block, parseBlocks } from './blocks.ts'
import { CodeBlock } from './code-block.tsx'
import { type Inline, parseInlines } from './inlines.ts'
import { safeAddress } from './links.ts'
import { Picture, type ShownImages } from './picture.tsx'

/** How a text is read. */
export type Reading = {
  /** The pictures that this text may show; without, every picture is a link. */
  images?: ShownImages | undefined
  /** The lines of the text were wrapped at a width, as in the files of the guide: a single line break means nothing. */
  isWrapped?: boolean
}

/** Markdown as React elements: nothing in the text can become HTML. */
export function Markdown({ children, ...reading }: Reading & { children: string }) {
  return (
    <div className="reading">
      {parseBlocks(children).map((block, index) => showBlock(block, index, reading))}
    </div>
  )
}

const spans = (text: string, reading: Reading) =>
  parseInlines(text, reading.isWrapped).map((inline, index) => showInline(inline, index, reading.images))

/** A text stands under the heading of its page, of its card and of its part, and begins below them. */
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

/** Without a direction of its own: the item takes it from this text, and its mark stands at that side. */
const ItemText = ({ loose, children }: { loose: boolean; children: ReactNode }) =>
  loose ? <p>{children}</p> : children

type TableProps = { table: Extract<Block, { kind: 'table' }>; reading: Reading }

/** A wide table scrolls, so it must be reachable by keyboard. */
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
