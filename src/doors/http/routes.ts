import type { Method, Route } from '../../core/capability.ts'

export function parseRoute(route: Route): { method: Method; path: string } {
  const space = route.indexOf(' ')
  return { method: route.slice(0, space) as Method, path: route.slice(space + 1) }
}

/** Names in braces, in the order of the path. */
export const pathNames = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')

export const toFastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

export const hasBody = (method: Method): boolean =>
  method === 'POST' || method === 'PUT' || method === 'PATCH'
