/** Writes docs/interface.md from the capabilities and the rules in scripts/interface/rules.md: npm run docs:interface */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capabilities, rawRoutes } from '../src/capabilities.ts'
import { toolsOf } from '../src/core/tools.ts'
import { PER_MINUTE } from '../src/doors/http/limits/rate-limit.ts'
import { describeApi } from '../src/doors/http/openapi/openapi.ts'
import { type Api, callTables, rateTable, shapeList, toolTable } from './interface/tables.ts'

const NOTE =
  '<!-- Made by `npm run docs:interface`. Change the declarations, or scripts/interface/rules.md. -->\n'

export function interfacePage(): string {
  const api = describeApi({ capabilities, rawRoutes }, '{base_url}') as unknown as Api
  const parts: Record<string, string> = {
    rates: rateTable(PER_MINUTE),
    calls: callTables(api, capabilities, rawRoutes),
    tools: toolTable(toolsOf(capabilities)),
    shapes: shapeList(api),
  }
  const rules = readFileSync(join(import.meta.dirname, 'interface', 'rules.md'), 'utf8')
  return NOTE + rules.replace(/^<!-- (\w+) -->$/gm, (mark, name: string) => parts[name] ?? mark)
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '..', 'docs', 'interface.md'), interfacePage())
