import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { capabilities } from '../../src/capabilities.ts'
import type { Viewer } from '../../src/core/context.ts'
import { CORE_TOOLS, inputSchemaOf, requiredScopes, toolsOf } from '../../src/core/invoke.ts'
import { manifestOf } from '../../src/doors/http/tools.ts'
import { type JsonSchema, toolList } from '../../src/doors/mcp/tool-list.ts'
import { INSTRUCTIONS, WORKFLOW } from '../../src/features/guide/ai-guide.ts'
import { SCOPES, type Scope } from '../../src/shared/scopes.ts'
import { repository } from '../support/process.ts'
import {
  ADDED_FIELDS,
  CORE_PROFILE,
  EXTENSION_TOOLS,
  type Field,
  INTERFACE_TOOLS,
} from './interface-tools.ts'

const tools = toolsOf(capabilities)
const BY_NAME = new Map(tools.map((tool) => [tool.tool.name, tool]))

const isExtension = (name: string) => BY_NAME.get(name)?.tool.extension === true

test('the tools are the 25 of the interface, and the extensions by name', () => {
  expect(Object.keys(INTERFACE_TOOLS)).toHaveLength(25)
  const names = [...BY_NAME.keys()]
  expect(names.filter((name) => !isExtension(name)).sort()).toEqual(Object.keys(INTERFACE_TOOLS).sort())
  expect(names.filter(isExtension)).toEqual(EXTENSION_TOOLS)
})

test('the manifest has the tools of the interface first, and marks those that extend it', () => {
  const listed = manifestOf(tools, 'http://127.0.0.1:8080').tools
  expect(listed.slice(0, 25).every((tool) => !('extension' in tool))).toBe(true)
  expect(listed.slice(25).map(({ name, extension }) => [name, extension])).toEqual(
    EXTENSION_TOOLS.map((name) => [name, true]),
  )
})

test('what an agent needs in its work comes first, workspaces come last', () => {
  const names = tools.map((tool) => tool.tool.name)
  expect(names.slice(0, 7)).toEqual([
    'search_records',
    'get_card',
    'record_card',
    'update_card',
    'get_project_context',
    'append_context_turn',
    'search_project_context',
  ])
  const firstOfWorkspaces = names.findIndex((name) => name.includes('workspace'))
  expect(names.slice(firstOfWorkspaces).filter((name) => !name.includes('workspace'))).toEqual([])
})

type Defs = Record<string, JsonSchema>

const resolved = (schema: JsonSchema, defs: Defs): JsonSchema =>
  typeof schema.$ref === 'string' ? { ...defs[schema.$ref.replace('#/$defs/', '')], ...schema } : schema

/** The alternatives of a property without null: what a caller may send. */
const options = (schema: JsonSchema, defs: Defs): JsonSchema[] =>
  ((resolved(schema, defs).anyOf as JsonSchema[] | undefined) ?? [schema])
    .flatMap((option) => (option === schema ? [resolved(option, defs)] : options(option, defs)))
    .filter((option) => option.type !== 'null')

const typeOf = (all: JsonSchema[]): string =>
  all
    .map((option) =>
      option.type === 'array' && all.length > 1 ? 'string[]' : String(option.type ?? typeof option.const),
    )
    .join(' | ')

function fieldOf(schema: JsonSchema, required: boolean, defs: Defs): Field {
  const all = options(schema, defs)
  const [only = {}] = all
  const { min, max } = { min: only.minimum ?? only.minLength, max: only.maximum ?? only.maxLength }
  return {
    type: typeOf(all) as Field['type'],
    ...(required ? { required: true } : {}),
    // An empty list or object for what was left out is no default to speak of.
    ...(schema.default !== undefined && typeof schema.default !== 'object'
      ? { default: schema.default }
      : {}),
    ...(only.enum ? { values: only.enum as string[] } : {}),
    ...(typeof min === 'number' ? { min } : {}),
    ...(typeof max === 'number' ? { max } : {}),
  }
}

describe.each(Object.entries(INTERFACE_TOOLS))('%s', (name, expected) => {
  const tool = BY_NAME.get(name)
  const schema = (tool ? inputSchemaOf(tool) : {}) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
    additionalProperties?: unknown
    $defs?: Defs
  }

  test('takes the inputs of the interface, with their types, defaults and ranges, and else only what we add by name', () => {
    const added = ADDED_FIELDS[name] ?? []
    expect(Object.keys(schema.properties ?? {}).sort()).toEqual(
      [...Object.keys(expected.fields), ...added].sort(),
    )
    for (const field of added) expect(schema.required ?? []).not.toContain(field)
    expect(schema.additionalProperties).toBe(false)
    for (const [field, wanted] of Object.entries(expected.fields)) {
      const actual = fieldOf(
        schema.properties?.[field] ?? {},
        schema.required?.includes(field) ?? false,
        schema.$defs ?? {},
      )
      // Limits beyond those that the interface states are ours to set.
      expect(
        {
          ...actual,
          ...(wanted.min === undefined ? { min: undefined } : {}),
          ...(wanted.max === undefined ? { max: undefined } : {}),
        },
        field,
      ).toEqual({
        min: undefined,
        max: undefined,
        ...wanted,
      })
    }
  })

  test('says of every object inside its inputs whether unknown keys are kept or refused', () => {
    const silent = (part: unknown): string[] => {
      if (typeof part !== 'object' || part === null) return []
      const losesKeys = 'properties' in part && 'type' in part && !('additionalProperties' in part)
      return [...(losesKeys ? [JSON.stringify(part)] : []), ...Object.values(part).flatMap(silent)]
    }
    expect(silent(schema)).toEqual([])
  })

  test('asks for the scopes of the interface and says whether it reads or destroys', () => {
    expect(tool && [...requiredScopes(tool)].sort()).toEqual([...expected.scopes].sort())
    expect(tool?.tool.readOnly ?? false).toBe(expected.readOnly ?? false)
    expect(tool?.tool.destructive ?? false).toBe(expected.destructive ?? false)
    if (expected.idempotent) expect(tool?.tool.idempotent).toBe(true)
  })

  test('is described in at most three sentences', () => {
    const description = tool?.tool.description ?? ''
    expect(description.length).toBeGreaterThan(40)
    expect(
      description.split(/[.!?](?:\s|$)/).filter((sentence) => sentence.trim()).length,
    ).toBeLessThanOrEqual(3)
  })
})

const viewer = (scopes: readonly Scope[]): Viewer => ({
  userId: '',
  scopes: new Set(scopes),
  isAdmin: false,
  credential: { kind: 'api_key', id: '' },
})
const list = toolList(tools)
const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4)

test('whatever tells an agent how to work names the tools for finding, judging and recording', () => {
  const page = readFileSync(join(repository, 'docs', 'guide', 'agent-instructions.md'), 'utf8')
  for (const text of [INSTRUCTIONS.full, JSON.stringify(WORKFLOW), page])
    for (const name of ['search_records', 'verify_card', 'record_card'])
      expect(text.includes(name), `${name} in: ${text}`).toBe(true)
})

test.each(['full', 'core'] as const)(
  'the instructions of the %s profile name no tool that it lacks',
  (profile) => {
    const listed = list(viewer(SCOPES), profile).map(({ name }) => name)
    const named = [...BY_NAME.keys()].filter((name) => INSTRUCTIONS[profile].includes(name))
    expect(named.filter((name) => !listed.includes(name))).toEqual([])
    expect(named).toEqual(expect.arrayContaining(['search_records', 'record_card']))
  },
)

test('all tools cost a model at most 5,000 tokens, the core ones at most 2,900', () => {
  expect(tokens({ tools: list(viewer(SCOPES), 'full') })).toBeLessThanOrEqual(5000)
  expect(tokens({ tools: list(viewer(SCOPES), 'core') })).toBeLessThanOrEqual(2900)
})

describe.each(list(viewer(SCOPES), 'full').map((tool) => [tool.name, tool] as const))(
  '%s in tools/list',
  (name, tool) => {
    test('has a title, says that it stays inside the vault, and refuses unknown keys for all to see', () => {
      expect(tool.title).toMatch(/^[A-Z]/)
      expect(tool.annotations?.openWorldHint).toBe(false)
      expect(tool.inputSchema.additionalProperties).toBe(false)
      const onDemand = ['verify_card', 'recall', 'search_project_context']
      expect(tool._meta).toEqual(
        CORE_TOOLS.has(name) && !onDemand.includes(name) ? { 'anthropic/alwaysLoad': true } : undefined,
      )
    })

    test('says limits and defaults in words too', () => {
      for (const [field, schema] of Object.entries(
        (tool.inputSchema.properties ?? {}) as Record<string, JsonSchema>,
      )) {
        const said = String(schema.description ?? '')
        for (const keyword of ['minimum', 'maximum', 'minLength', 'maxLength'])
          if (schema[keyword] !== undefined)
            expect(said, `${field}.${keyword}`).toContain(String(schema[keyword]))
        if (schema.default !== undefined && schema.default !== false)
          expect(said, field).toContain(`default ${schema.default}`)
      }
    })

    test('says what is in data', () => {
      const { data } = (tool.outputSchema?.properties ?? {}) as { data: JsonSchema }
      expect(String(data.description)).not.toBe('')
    })
  },
)

test('the core profile has the tools that agents use every day', () => {
  expect([...CORE_TOOLS].sort()).toEqual([...CORE_PROFILE].sort())
  expect(
    list(viewer(SCOPES), 'core')
      .map((tool) => tool.name)
      .sort(),
  ).toEqual([...CORE_PROFILE].sort())
})

test('each scope shows its own tools, in the same order every time', () => {
  for (const scope of SCOPES) {
    const shown = list(viewer([scope]), 'full').map((tool) => tool.name)
    const wanted = tools.filter((tool) => requiredScopes(tool).every((needed) => needed === scope))
    expect(shown).toEqual(wanted.map(({ tool }) => tool.name))
    expect(list(viewer([scope]), 'full').map((tool) => tool.name)).toEqual(shown)
  }
})
