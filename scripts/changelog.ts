const UNRELEASED = '## Unreleased'

/** The text under a heading of the changelog, without the heading; undefined if there is no such heading. */
function sectionUnder(changelog: string, isHeading: (line: string) => boolean): string | undefined {
  const lines = changelog.split('\n')
  const start = lines.findIndex(isHeading)
  if (start === -1) return undefined
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '))
  return lines
    .slice(start + 1, end === -1 ? undefined : end)
    .join('\n')
    .trim()
}

export const unreleasedNotes = (changelog: string): string =>
  sectionUnder(changelog, (line) => line.trim() === UNRELEASED) ?? ''

/** The notes of one release: the text under `## 0.2.0 (2026-01-31)`. */
export const notesOf = (changelog: string, version: string): string | undefined =>
  sectionUnder(changelog, (line) => line === `## ${version}` || line.startsWith(`## ${version} (`))

/** What was unreleased gets a version and a date; an empty section for the next changes stands above it. */
export const datedChangelog = (changelog: string, version: string, date: string): string =>
  changelog.replace(/^## Unreleased[ \t]*$/m, `${UNRELEASED}\n\n## ${version} (${date})`)
