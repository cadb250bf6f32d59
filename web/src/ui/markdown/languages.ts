/** Names that people write after the fence, for the languages that can be coloured. */
const NAMES = `bash sh zsh|c h|cpp c++ cc hpp|csharp cs c#|css|diff patch|dockerfile docker|go golang|ini toml conf properties env
|java|javascript js jsx mjs cjs node|json json5 jsonc jsonl|kotlin kt|lua|makefile make|markdown md|perl pl|php
|powershell ps1 ps|python py pycon|ruby rb|rust rs|scss sass|shell console terminal shellsession|sql postgres postgresql sqlite mysql
|swift|typescript ts tsx mts|xml html svg vue|yaml yml`

const BY_NAME = new Map(
  NAMES.split('|').flatMap((group) => {
    const names = group.trim().split(/\s+/)
    return names.map((name): [string, string] => [name, names[0] ?? name])
  }),
)

/** The language for a name, or undefined for a plain block. */
export const languageNamed = (name: string): string | undefined => BY_NAME.get(name.toLowerCase())
