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

/** `found` lists the replaced kinds with their number: "2 password". */
export type Outgoing<T> = { value: T; found: string[] }

/** Replaces secrets in a request body by the vault's rules; loaded only on sending. */
export function withoutSecrets<T>(body: T): Outgoing<T> {
  const findings = new Findings()
  const field = ([name, value]: [string, unknown]) => [
    name,
    IDENTIFIERS.has(name) && typeof value === 'string'
      ? cleanText(value, findings)
      : cleanJson(value, findings, name),
  ]
  const isRecord = typeof body === 'object' && body !== null && !Array.isArray(body)
  const value = isRecord ? Object.fromEntries(Object.entries(body).map(field)) : cleanJson(body, findings)
  return { value, found: findings.list().map(({ kind, count }) => `${count} ${kind}`) }
}
