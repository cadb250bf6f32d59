import { cleanJson, cleanText, Findings } from '../redaction/stored.ts'
import type { Candidate } from './rules/candidate.ts'

/** The client replaces secrets before it sends a candidate. The vault does it again, since a client may have older rules. */
export function cleanCandidate(candidate: Candidate): Candidate {
  const findings = new Findings()
  const text = (given: string) => cleanText(given, findings)
  return {
    ...candidate,
    command: text(candidate.command),
    failure: text(candidate.failure),
    success: text(candidate.success),
    report: text(candidate.report),
    files: candidate.files.map(text),
    commands: candidate.commands.map(text),
    environment: cleanJson(candidate.environment, findings),
  }
}
