import { baseName } from './session.ts'

export const TEST_FILE =
  /(?:^|[/\\])(?:test_[^/\\]{1,100}|[^/\\]{1,100}[._-](?:test|spec|tests)\.\w{1,5}|[^/\\]{1,100}_test\.\w{1,5}|[^/\\]{1,100}Tests?\.(?:java|kt|cs))$/

export const SETTINGS_FILE =
  /\.(?:json|jsonc|ya?ml|toml|ini|cfg|conf|env|lock|properties|gradle|xml|tf|mod|sum|nix)$|(?:^|[/\\])(?:Dockerfile|Makefile|Gemfile|Procfile|\.[a-z][\w.-]{1,60}|[\w-]{1,60}\.config\.\w{1,4}|CMakeLists\.txt|requirements[\w-]{0,30}\.txt|go\.mod|conftest\.py|build\.rs|setup\.py)$/i

/** A file is named in a text by its base name, or by that without its ending. The text is in lower case. */
export function isNamedIn(text: string, file: string): boolean {
  const base = baseName(file)
  const stem = base.replace(/\.[^.]{1,12}$/, '')
  return (base.length > 2 && text.includes(base)) || (stem.length > 4 && text.includes(stem))
}
