import { AUTHORITY, hostOf, isOpaque } from '../hosts.ts'
import { type Found, type IsAllowedHost, spanOf, type Trigger, trigger } from '../rule.ts'

const ARCHIVE =
  /\.(?:exe|msi|dmg|pkg|deb|rpm|apk|appimage|zip|tar|tgz|tar\.\w{2,3}|gz|xz|7z|whl|egg|gem|jar|war|sh|ps1|bat|cmd|iso|img|bin|run|so|dll|rb|crx|vsix)(?:[?#]|$)/i
const COMMAND =
  /(?:^|[\s`;&|(])(?:curl|wget|aria2c|git clone|git submodule add|pip3? install|npm (?:i|install|add)|yarn add|pnpm add|docker (?:pull|run)|podman (?:pull|run)|helm (?:repo add|install)|go (?:get|install)|brew (?:install|tap)|iwr|irm|invoke-webrequest|start-bitstransfer|gem install|cargo install|kubectl apply|npx|uv add|conda install|apt install|dpkg -i)\s/i
const LONGEST_LINE = 160

function isDownload(match: RegExpExecArray, text: string): boolean {
  if (ARCHIVE.test(match[2] ?? '')) return true
  const before = text.slice(Math.max(0, match.index - LONGEST_LINE), match.index)
  return COMMAND.test(before.slice(before.lastIndexOf('\n') + 1))
}

const atHost = (match: RegExpExecArray, text: string, isAllowedHost: IsAllowedHost): readonly Found[] => {
  const host = hostOf(match[1] ?? '')
  if (host === undefined || isAllowedHost(host)) return []
  return isOpaque(host) || isDownload(match, text) ? [spanOf(match)] : []
}

export const DOWNLOAD_TRIGGERS: readonly Trigger[] = [
  trigger(
    'download_host',
    'warn',
    'http://¦https://¦ftp://',
    new RegExp(`${AUTHORITY}([^\\s"'\`<>|)\\]]{0,300})`, 'iy'),
    atHost,
  ),
  trigger(
    'download_host',
    'warn',
    'docker pull¦docker run¦podman pull¦podman run¦go get¦go install',
    /(?:(?:docker|podman) (?:pull|run)|go (?:get|install))(?: -{1,2}[\w=:./-]{1,40}){0,6} (?:-u )?([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5})(?::\d{1,5})?\/[\w./@:-]{1,120}/iy,
    (match, _, isAllowedHost) => {
      const host = hostOf(match[1] ?? '')
      return host === undefined || isAllowedHost(host) ? [] : [spanOf(match)]
    },
  ),
]
