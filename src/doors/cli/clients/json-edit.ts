import { applyEdits, createScanner, type Edit, findNodeAtLocation, type Node } from 'jsonc-parser'

/**
 * Edits of one property, found by the tree of jsonc-parser. Its own `modify` formats the lines around a change; here not one byte
 * of somebody else's changes.
 */

/** As the file is written already. */
export function styleOf(text: string): { unit: string; eol: string } {
  return {
    unit: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ',
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

const endOf = ({ offset, length }: Node): number => offset + length

const depthOf = (node: Node): number => {
  let depth = 0
  for (let at: Node | undefined = node; at; at = at.parent) if (at.type === 'object') depth += 1
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

function insertion(text: string, parent: Node, key: string, value: unknown): Edit[] {
  const { unit, eol } = styleOf(text)
  const depth = depthOf(parent)
  const last = parent.children?.at(-1)
  const property = `${JSON.stringify(key)}: ${written(text, value, depth)}`
  const line = eol + unit.repeat(depth) + property
  if (!last) {
    const content = line + eol + unit.repeat(depth - 1)
    return [{ offset: parent.offset, length: parent.length, content: `{${content}}` }]
  }
  const { comma, lineEnd } = behind(text, endOf(last))
  if (isOnOneLine(text, parent)) {
    const compact = `${JSON.stringify(key)}:${JSON.stringify(value)}`
    const content = comma === undefined ? `,${compact}` : compact
    return [{ offset: comma === undefined ? endOf(last) : comma + 1, length: 0, content }]
  }
  if (comma !== undefined) return [{ offset: lineEnd, length: 0, content: `${line},` }]
  return [
    { offset: endOf(last), length: 0, content: ',' },
    { offset: lineEnd, length: 0, content: line },
  ]
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

const emptied = ({ offset, length }: Node): Edit => ({ offset, length, content: '{}' })

/** The text without the value at the path: the property, its line and one comma. */
export function withoutValue(text: string, tree: Node, path: readonly string[]): string {
  const property = findNodeAtLocation(tree, [...path])?.parent
  const siblings = property?.parent?.children
  if (!property || !siblings) return text
  const at = siblings.indexOf(property)
  const before = siblings[at - 1]
  const { comma } = behind(text, endOf(property))
  const start = /\r?\n[ \t]*$|[ \t]*$/.exec(text.slice(0, property.offset))?.index ?? property.offset
  const isAlone = siblings.length === 1
  const end = comma === undefined ? endOf(property) : comma + 1
  const edits: Edit[] = [{ offset: start, length: end - start, content: '' }]
  if (isAlone && property.parent) edits[0] = emptied(property.parent)
  else if (comma === undefined && before) {
    const extra = behind(text, endOf(before)).comma
    if (extra !== undefined && extra < start) edits.unshift({ offset: extra, length: 1, content: '' })
    else if (extra !== undefined) edits[0] = { offset: extra, length: end - extra, content: '' }
  }
  return applyEdits(text, edits)
}
