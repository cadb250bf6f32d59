import { applyEdits, createScanner, type Edit, findNodeAtLocation, type Node } from 'jsonc-parser'

/**
 * Edits one property, found in the tree of jsonc-parser. The library's `modify` formats the lines around a change;
 * here not one byte outside of our entry changes.
 */

/** The indentation and line ends of the file. */
function styleOf(text: string): { unit: string; eol: string } {
  return {
    unit: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ',
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

const endOf = ({ offset, length }: Node): number => offset + length

const depthOf = (node: Node): number => {
  let depth = 0
  for (let at: Node | undefined = node; at; at = at.parent) if (at.type !== 'property') depth += 1
  return depth
}

const isOnOneLine = (text: string, { offset, length }: Node): boolean =>
  !text.slice(offset, offset + length).includes('\n')

/** Kinds of token, as the scanner numbers them. */
const COMMA = 5
const LINE_COMMENT = 12
const BLOCK_COMMENT = 13
const LINE_BREAK = 14
const SPACE = 15

/** What follows a property: its comma, if there is one, and where the rest of its line ends. */
function behind(text: string, from: number): { comma: number | undefined; lineEnd: number } {
  const scanner = createScanner(text, false)
  scanner.setPosition(from)
  let [comma, lineEnd, isSameLine]: [number | undefined, number, boolean] = [undefined, from, true]
  for (;;) {
    const kind: number = scanner.scan()
    const isComma = kind === COMMA && comma === undefined
    if (isComma) comma = scanner.getTokenOffset()
    else if (![LINE_COMMENT, BLOCK_COMMENT, LINE_BREAK, SPACE].includes(kind)) return { comma, lineEnd }
    if (kind === LINE_BREAK && comma === undefined) isSameLine = false
    else if (kind === LINE_BREAK) return { comma, lineEnd }
    if (kind !== SPACE && kind !== LINE_BREAK && (isSameLine || isComma))
      lineEnd = scanner.getTokenOffset() + scanner.getTokenLength()
  }
}

function written(text: string, value: unknown, depth: number): string {
  const { unit, eol } = styleOf(text)
  return JSON.stringify(value, null, unit).replaceAll('\n', eol + unit.repeat(depth))
}

/** A property, or an element of a list where there is no key. */
const named = (key: string | undefined, gap: string, value: string): string =>
  key === undefined ? value : `${JSON.stringify(key)}:${gap}${value}`

/** An empty object or list may hold comments, such as an entry that somebody switched off. They stay. */
function intoEmpty(text: string, { offset, length }: Node, content: string): Edit {
  const inner = text.slice(offset + 1, offset + length - 1)
  const kept = inner.trimEnd().length
  return { offset: offset + 1 + kept, length: inner.length - kept, content }
}

function insertion(text: string, parent: Node, key: string | undefined, value: unknown): Edit[] {
  const { unit, eol } = styleOf(text)
  const depth = depthOf(parent)
  const last = parent.children?.at(-1)
  const line = eol + unit.repeat(depth) + named(key, ' ', written(text, value, depth))
  if (!last) return [intoEmpty(text, parent, `${line}${eol}${unit.repeat(depth - 1)}`)]
  const { comma, lineEnd } = behind(text, endOf(last))
  if (isOnOneLine(text, parent)) {
    const compact = named(key, '', JSON.stringify(value))
    const content = comma === undefined ? `,${compact}` : compact
    return [{ offset: comma === undefined ? endOf(last) : comma + 1, length: 0, content }]
  }
  if (comma !== undefined) return [{ offset: lineEnd, length: 0, content: `${line},` }]
  return [
    { offset: endOf(last), length: 0, content: ',' },
    { offset: lineEnd, length: 0, content: line },
  ]
}

/** The text with one element more at the end of the list at the path. */
export function withElement(text: string, tree: Node, path: readonly string[], value: unknown): string {
  const list = findNodeAtLocation(tree, [...path])
  return list ? applyEdits(text, insertion(text, list, undefined, value)) : text
}

/** The text with this value at the path; objects that are missing on the way are made. */
export function withValue(text: string, tree: Node, path: readonly string[], value: unknown): string {
  const found = findNodeAtLocation(tree, [...path])
  if (found?.parent?.parent) {
    const oneLine = isOnOneLine(text, found.parent.parent)
    const content = oneLine ? JSON.stringify(value) : written(text, value, depthOf(found.parent.parent))
    return applyEdits(text, [{ offset: found.offset, length: found.length, content }])
  }
  let depth = path.length - 1
  while (depth > 0 && !findNodeAtLocation(tree, path.slice(0, depth))) depth -= 1
  const parent = depth === 0 ? tree : findNodeAtLocation(tree, path.slice(0, depth))
  const inner = path.slice(depth + 1).reduceRight<unknown>((below, key) => ({ [key]: below }), value)
  return applyEdits(text, insertion(text, parent ?? tree, path[depth] ?? '', inner))
}

/** Whether there is a comment beside the only item. */
function hasComment(text: string, parent: Node, item: Node): boolean {
  const before = text.slice(parent.offset + 1, item.offset)
  const after = text.slice(endOf(item), endOf(parent) - 1)
  return /\/[/*]/.test(before + after)
}

const emptied = ({ offset, length, type }: Node): Edit => ({
  offset,
  length,
  content: type === 'array' ? '[]' : '{}',
})

/** A last item without a trailing comma removes the comma before it. */
function removal(text: string, item: Node, before: Node | undefined): Edit[] {
  const { comma } = behind(text, endOf(item))
  const start = /\r?\n[ \t]*$|[ \t]*$/.exec(text.slice(0, item.offset))?.index ?? item.offset
  const end = comma === undefined ? endOf(item) : comma + 1
  const plain = { offset: start, length: end - start, content: '' }
  const extra = comma === undefined && before ? behind(text, endOf(before)).comma : undefined
  if (extra === undefined) return [plain]
  if (extra < start) return [{ offset: extra, length: 1, content: '' }, plain]
  return [{ offset: extra, length: end - extra, content: '' }]
}

/** The text without what is at the path: the property or element, its line and one comma. */
export function withoutValue(text: string, tree: Node, path: readonly (string | number)[]): string {
  const value = findNodeAtLocation(tree, [...path])
  const item = value?.parent?.type === 'property' ? value.parent : value
  const siblings = item?.parent?.children
  if (!item?.parent || !siblings) return text
  if (siblings.length === 1 && !hasComment(text, item.parent, item))
    return applyEdits(text, [emptied(item.parent)])
  return applyEdits(text, removal(text, item, siblings[siblings.indexOf(item) - 1]))
}
