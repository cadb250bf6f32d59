import { cleanJson, cleanText, Findings } from '../../redaction/redact.ts'

/** For the capture: with its own import, the bundle of the hook would be in one more part. */
export { cleanJson, cleanText, Findings }

/** Fields of the interface that are called as secrets are. Their values are judged without the name. */
const IDENTIFIERS: ReadonlySet<string> = new Set([
  'session_id',
  'project_key',
  'new_project_key',
  'source_project_key',
  'target_project_key',
])

/** `found` names each kind of secret that was replaced, with its number: "2 password". */
export type Outgoing<T> = { value: T; found: string[] }

/** Replaces the secrets in the body of a request, by the rules of the vault. Loaded only where something is sent. */
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
