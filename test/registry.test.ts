import { expect, test } from 'vitest'
import { capabilities, rawRoutes } from '../src/capabilities.ts'
import { AGENT_KEYS, ANY_SCOPE, SCOPES } from '../src/shared/scopes.ts'
import { CONTRACT_ROUTES } from './support/contract.ts'

const ROUTES = [
  ...capabilities.flatMap((capability) => capability.rest ?? []),
  ...rawRoutes.map((raw) => raw.route),
]
const duplicates = (values: string[]) => values.filter((value, index) => values.indexOf(value) !== index)
/** `{case_id}` and `{card_id}` are one parameter to the router. */
const anonymous = (route: string) => route.replaceAll(/\{\w+\}/g, '{}')

test('no two capabilities share a name, a route or a tool', () => {
  expect(duplicates([...capabilities, ...rawRoutes].map((capability) => capability.name))).toEqual([])
  expect(duplicates(ROUTES.map(anonymous))).toEqual([])
  expect(duplicates(capabilities.flatMap((capability) => capability.tool?.name ?? []))).toEqual([])
})

test('every capability states its scopes or says that it is public', () => {
  for (const { name, scopes } of [...capabilities, ...rawRoutes]) {
    if (scopes === 'public' || scopes === ANY_SCOPE) continue
    expect(scopes.length, name).toBeGreaterThan(0)
    for (const scope of scopes) expect([...SCOPES, AGENT_KEYS], name).toContain(scope)
  }
})

test('every capability is served somewhere', () => {
  for (const { name, rest, tool } of capabilities) expect(rest?.length || tool, name).toBeTruthy()
})

test('path parameters and query lists name fields of the input', () => {
  for (const capability of capabilities) {
    const fields = Object.keys(capability.input.shape)
    for (const route of capability.rest ?? [])
      for (const [, name = ''] of route.matchAll(/\{(\w+)\}/g))
        expect(fields, `${capability.name} ${route}`).toContain(capability.aliases?.[name] ?? name)
    for (const field of capability.query ?? []) expect(fields, capability.name).toContain(field)
  }
})

test('every route of the interface is there, with its status', () => {
  const served = new Map<string, number>()
  for (const capability of capabilities)
    for (const route of capability.rest ?? []) served.set(anonymous(route), capability.status ?? 200)
  for (const raw of rawRoutes)
    served.set(anonymous(raw.route), Number(Object.keys(raw.openapi?.responses ?? { 200: {} })[0]))
  const missing = CONTRACT_ROUTES.filter(([route, status]) => served.get(anonymous(route)) !== status)
  expect(missing).toEqual([])
})

test('exactly the routes that the interface opens to everybody are public', () => {
  const open = new Set(
    [...capabilities, ...rawRoutes.map((raw) => ({ ...raw, rest: [raw.route] }))]
      .filter((capability) => capability.scopes === 'public')
      .flatMap((capability) => (capability.rest ?? []).map(anonymous)),
  )
  for (const [route, , access] of CONTRACT_ROUTES)
    expect(open.has(anonymous(route)), route).toBe(access === 'public')
})
