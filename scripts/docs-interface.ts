import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capabilities, rawRoutes } from '../src/capabilities.ts'
import { toolsOf } from '../src/core/invoke.ts'
import { describeApi } from '../src/doors/http/openapi.ts'
import { PER_MINUTE } from '../src/doors/http/rate-limit.ts'
import { type Api, callTables, rateTable, shapeList, toolTable } from './interface/tables.ts'

/** Writes docs/interface.md, which is not in git: the rules of the guide with every call, tool and shape. npm run docs */

const DOCS = join(import.meta.dirname, '..', 'docs')
const LEGEND =
  '`*` marks what must be sent. "=" gives the default. Names in braces are part of the path. Two paths in one row are two names of the same call.'

/** A page of the guide, as it reads one folder above. */
const guidePage = (name: string): string =>
  readFileSync(join(DOCS, 'guide', `${name}.md`), 'utf8')
    .replaceAll(/\]\(([a-z-]+\.md)/g, '](guide/$1')
    .trim()

export function interfacePage(): string {
  const api = describeApi({ capabilities, rawRoutes }, '{base_url}') as unknown as Api
  const parts = [
    '<!-- Made by `npm run docs`. Change the declarations, or the pages of docs/guide. -->',
    guidePage('interface'),
    guidePage('errors').replace(/^# /, '## '),
    `## Rates\n\n${rateTable(PER_MINUTE)}`,
    `## Calls\n\n${LEGEND}\n\n${callTables(api, capabilities, rawRoutes)}`,
    `## Tools\n\n${toolTable(toolsOf(capabilities))}`,
    `## Shapes\n\n${shapeList(api)}`,
  ]
  return `${parts.join('\n\n')}\n`
}

if (import.meta.main) writeFileSync(join(DOCS, 'interface.md'), interfacePage())
