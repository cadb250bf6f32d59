import { cleanJson, cleanText, Findings } from '../../redaction/redact.ts'

/** Exported here to keep the hook in fewer bundles. */
export { cleanJson, cleanText, Findings }

/** Fields whose names look like secrets; their values are judged without the name. */
const IDENTIFIERS: ReadonlySet<string> = new Set([
  'session_id',
  'project_key',
  'new_project_key',
  'source_project_key',
  'target_project_key',
])

/** Fields that the hook itself writes: a moment, an agent, an id. */
const NO_SECRET = /^(?:[a-z-]{1,16}|(?:folder-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const HAVE_NO_SECRET: ReadonlySet<string> = new Set([...IDENTIFIERS, 'moment', 'client'])

const isPlain = (name: string, value: unknown): boolean =>
  HAVE_NO_SECRET.has(name) && typeof value === 'string' && NO_SECRET.test(value)

/** `found` lists the replaced kinds with their number: "2 password". */
export type Outgoing<T> = { value: T; found: string[] }

const outgoing = <T>(value: T, findings: Findings): Outgoing<T> => ({
  value,
  found: findings.list().map(({ kind, count }) => `${count} ${kind}`),
})

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names as the interface writes them: no rule knows a secret of such letters alone. */
const PLAIN_NAME = /^[a-zA-Z_]{1,24}$/

/** Cleans the names of fields, and their values by the given function. */
const cleanFields = (
  fields: object,
  findings: Findings,
  clean: (value: unknown, name: string) => unknown,
): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      PLAIN_NAME.test(name) ? name : cleanText(name, findings),
      clean(value, name),
    ]),
  )

function cleanBody(body: unknown, findings: Findings): unknown {
  if (!isRecord(body)) return cleanJson(body, findings)
  return cleanFields(body, findings, (value, name) => {
    if (isPlain(name, value)) return value
    return IDENTIFIERS.has(name) && typeof value === 'string'
      ? cleanText(value, findings)
      : cleanJson(value, findings, name)
  })
}

/** Replaces secrets in a request body by the vault's rules; loaded only on sending. */
export function withoutSecrets<T>(body: T): Outgoing<T> {
  const findings = new Findings()
  return outgoing(cleanBody(body, findings) as T, findings)
}

/** Parameters that hold what an agent or a person wrote. */
const WRITTEN: ReadonlySet<string> = new Set(['arguments', 'argument', 'context'])

/** Cleans texts without their names, because names of the protocol (`progressToken`) look like secrets. */
function cleanTexts(value: unknown, findings: Findings): unknown {
  if (typeof value === 'string') return cleanText(value, findings)
  if (Array.isArray(value)) return value.map((item) => cleanTexts(item, findings))
  return isRecord(value) ? cleanFields(value, findings, (part) => cleanTexts(part, findings)) : value
}

const cleanParams = (params: object, findings: Findings): object =>
  cleanFields(params, findings, (value, name) =>
    WRITTEN.has(name) ? cleanBody(value, findings) : cleanTexts(value, findings),
  )

/** Replaces secrets in a JSON-RPC message, except for its id, by which the client knows the answer. */
export function messageWithoutSecrets<T extends object>(message: T): Outgoing<T> {
  const findings = new Findings()
  const value = cleanFields(message, findings, (part, name) => {
    if (name === 'id') return part
    return name === 'params' && isRecord(part) ? cleanParams(part, findings) : cleanTexts(part, findings)
  })
  return outgoing(value as T, findings)
}
