import { isDeepStrictEqual } from 'node:util'
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { ClientError, EXIT } from '../exit-codes.ts'
import { LENIENT } from '../jsonc.ts'
import { KVAULT } from '../own-copy.ts'
import { type Entry, type McpClient, SERVER_NAME } from './client.ts'
import { withoutValue, withValue } from './json-edit.ts'

function parsed(text: string, file: string) {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, LENIENT)
  if (errors.length === 0 && (tree === undefined || tree.type === 'object')) return tree
  const fault = errors.length > 0 ? 'cannot be read as JSON' : `contains no object, but: ${tree?.type}`
  throw new ClientError(
    `${file} ${fault}, so it is left alone. Repair it, or add the entry by hand: ${KVAULT} connect --print`,
    EXIT.byHand,
  )
}

/** Every part of the path must be an object, or must not exist. */
function checkWay(text: string, client: McpClient, file: string): Node | undefined {
  const tree = parsed(text, file)
  client.path.forEach((key, depth) => {
    const node = tree && findNodeAtLocation(tree, client.path.slice(0, depth + 1))
    if (node && node.type !== 'object')
      throw new ClientError(`${file}: "${key}" is not an object, so it is left alone.`, EXIT.byHand)
  })
  return tree
}

/** Only the bytes of our entry change; comments, order, numbers and trailing commas stay. */
export function withJsonEntry(
  text: string,
  client: McpClient,
  entry: Entry | undefined,
  file: string,
): string {
  const path = [...client.path, SERVER_NAME]
  const tree = checkWay(text, client, file)
  if (tree === undefined) return entry === undefined ? text : newFile(path, entry)
  const there = jsonEntry(text, client, file)
  if (isDeepStrictEqual(there, entry)) return text
  return entry === undefined ? withoutValue(text, tree, path) : withValue(text, tree, path, entry)
}

/** Whether the file has a map of servers, ours or theirs. */
export const hasServers = (text: string, client: McpClient, file: string): boolean => {
  const tree = parsed(text, file)
  return tree !== undefined && findNodeAtLocation(tree, [...client.path]) !== undefined
}

/** Takes out a map of servers that is empty and has no comments. */
export function withoutEmptyServers(text: string, client: McpClient, file: string): string {
  const tree = parsed(text, file)
  const servers = tree && findNodeAtLocation(tree, [...client.path])
  const isEmpty =
    servers !== undefined && /^\{\s*\}$/.test(text.slice(servers.offset, servers.offset + servers.length))
  return tree && isEmpty ? withoutValue(text, tree, client.path) : text
}

const newFile = (path: readonly string[], entry: Entry): string => {
  const root = path.reduceRight<unknown>((below, key) => ({ [key]: below }), entry)
  return `${JSON.stringify(root, null, 2)}\n`
}

export function jsonEntry(text: string, client: McpClient, file: string): Entry | undefined {
  const tree = parsed(text, file)
  const node = tree && findNodeAtLocation(tree, [...client.path, SERVER_NAME])
  return node?.type === 'object' ? getNodeValue(node) : undefined
}
