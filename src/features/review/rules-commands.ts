import { AUTHORITY, goesToAllowed, hostOf, isOpaque } from './hosts.ts'
import { type Found, farTrigger, type IsAllowedHost, spanOf, type Trigger, trigger } from './rule.ts'

/** An installer of a known host is reported; any other is blocked. */
const unlessAllowed = (match: RegExpExecArray, _: string, isAllowedHost: IsAllowedHost): readonly Found[] => [
  goesToAllowed(match[0], isAllowedHost) ? { ...spanOf(match), severity: 'note' } : spanOf(match),
]

/** By these a program executes what it reads. */
const EXECUTES =
  'exec|eval|system|spawn|popen|subprocess|child_process|compile|import\\(|__import__|getattr|pickle|marshal|runpy|yaml|Function|["\']vm["\']|node:vm'
/** `python3 -m json.tool`, `node -pe "JSON.parse(…)"`: the program is given, and what comes in is JSON that it only reads. */
const READS_JSON = `(?:\\s{1,3}-[\\w:]{1,12}){0,3}?\\s{1,3}-(?:m\\s{1,3}json\\.tool\\b|[a-z]{0,4}[cep]\\s{1,3}["'](?=[^\\n]{0,300}?json)(?![^\\n]{0,300}?(?:${EXECUTES})))`
const INTERPRETER = `(?:sudo\\s{1,3}(?:-\\w{1,3}\\s{1,3})?)?(?:/(?:usr/)?bin/)?(?:env\\s{1,3})?(?:(?:(?:ba|z|da|k|fi)?sh|iex|pwsh|powershell)\\b|(?:python[\\d.]{0,4}|perl|ruby|node|php)\\b(?!${READS_JSON}))`
/** What a download may go through before it is executed. */
const FILTERS = '(?:\\s{0,3}(?:tee|gunzip|zcat|xzcat|gzip|xz|unxz|zstd|sed|tr|rev)\\b[^|\\n]{0,60}\\|){0,3}'
/** The rest of a command, also on further lines behind a backslash. */
const ARGUMENTS = '(?:[^\\n|\\\\]|\\\\(?:\\r?\\n)?){0,300}'
const ARGUMENTS_END = /\||(?<!\\\r?)\n/g
const FETCHERS = 'curl¦wget¦iwr ¦irm ¦invoke-webrequest¦invoke-restmethod'
const FETCHER = '(?<![\\w-])(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\\b'
const LONGEST_FETCHER = 'invoke-restmethod'.length

const REMOTE_CODE: Trigger[] = [
  farTrigger(
    'remote_code',
    'block',
    FETCHERS,
    {
      head: FETCHER,
      gap: ARGUMENTS,
      part: `\\|${FILTERS}\\s{0,3}${INTERPRETER}`,
      within: LONGEST_FETCHER + 300 * '\\\r\n'.length,
      stop: ARGUMENTS_END,
    },
    unlessAllowed,
  ),
  farTrigger(
    'remote_code',
    'block',
    FETCHERS,
    {
      head: FETCHER,
      gap: '[^\\n]{0,250}?',
      part: '[;&\\n]\\s{0,4}(?:sudo )?chmod\\s{1,3}(?:[ugoa]{0,4}\\+x|[0-7]{3,4})\\b',
      within: LONGEST_FETCHER + 250,
    },
    unlessAllowed,
  ),
  farTrigger(
    'remote_code',
    'block',
    FETCHERS,
    {
      head: FETCHER,
      gap: '[^\\n|]{0,250}',
      part: '\\|\\s{0,3}(?:sudo )?tar\\s[^\\n&;]{0,60}(?:-C ?/(?:\\s|$)|&&\\s{0,2}/)',
      within: LONGEST_FETCHER + 250,
      stop: /[\n|]/g,
    },
    unlessAllowed,
  ),
  trigger(
    'remote_code',
    'block',
    '(curl¦(wget¦`curl¦`wget¦( curl',
    /(?<=(?:\b(?:ba|z|da|k)?sh|\bsource|\beval|(?:^|[\s;&`])\.|\bexec|\bpython3?)(?:\s{1,2}-c)?\s{1,2}["']?[<$]?)[(`]\s?(?:curl|wget)\b[^)`\n]{0,300}/iy,
    unlessAllowed,
  ),
  trigger(
    'remote_code',
    'block',
    'iex¦invoke-expression',
    /(?<![\w-])(?:iex|invoke-expression)\b[^\n]{0,40}(?:iwr|irm|new-object|downloadstring|invoke-webrequest|invoke-restmethod|webclient)\b[^\n]{0,160}/iy,
    unlessAllowed,
  ),
  trigger(
    'remote_code',
    'block',
    'powershell¦pwsh',
    /(?:powershell|pwsh)(?:\.exe)?\s[^\n]{0,60}-e(?:nc|ncodedcommand|c)?\s{1,3}[A-Za-z0-9+/=]{16,40}/iy,
  ),
  trigger(
    'remote_code',
    'block',
    'base64¦xxd¦openssl',
    new RegExp(
      `(?<![\\w-])(?:base64\\s{1,3}(?:-d|-D|--decode)|xxd\\s{1,3}(?:-\\w{1,3}\\s{1,3}){0,3}-?r|openssl\\s{1,3}(?:enc|base64)[^\\n|]{0,60}-d)\\b[^\\n|]{0,120}\\|\\s{0,3}${INTERPRETER}`,
      'iy',
    ),
  ),
  trigger(
    'remote_code',
    'block',
    'exec(¦eval(¦eval get¦function(atob',
    /(?<![\w.])(?:exec|eval|function) ?(?:get)?\((?:\w{1,20}\()?["'\s]{0,3}(?:(?:urllib|u|requests|__import__|base64|zlib|codecs|marshal|atob|b64decode|file_get_contents)\b|https?:)/iy,
  ),
  farTrigger('remote_code', 'block', 'fetch(¦require(', {
    head: '(?:fetch\\(|require\\(["\'](?:node:)?https?["\']\\))',
    gap: '[^\\n]{0,200}?',
    part: '\\beval\\b',
    within: 'require("node:https")'.length + 200,
  }),
  trigger('remote_code', 'block', '/dev/tcp/', /\/dev\/tcp\/[\w.$-]{1,80}\/\d{1,5}/iy),
  trigger(
    'remote_code',
    'block',
    'nc -¦ncat',
    /(?<![\w-])n(?:c|cat) [^\n]{0,30}-[a-z]{0,3}[ec]\b\s{0,2}["']?(?:\/bin\/)?(?:ba)?sh/iy,
  ),
]

const ROOTS =
  '(?:/(?:\\*|bin|boot|etc|home|lib|opt|root|usr|var)?/?\\*?|~/?\\*?|\\$\\{?HOME\\}?/?\\*?|\\.\\.?/?\\*?|\\*)'

const DESTRUCTION: Trigger[] = [
  trigger(
    'destruction',
    'block',
    'rm -¦rm --',
    /(?<![\w.-])rm(?:\s{1,3}-{1,2}[\w-]{1,24}(?:=\w{1,10})?){1,5}\s{1,3}["']?(?:\/(?:\*|bin|boot|etc|home|lib|root|usr|var|Users)?\/?\*?|~\/?\*?|\$\{?HOME\}?\/?\*?)["'`]?(?=[\s;&|)`'"]|$)/y,
    (match) => (/\s-[a-z]{0,6}[rR]|--recursive/.test(match[0]) ? [spanOf(match)] : []),
  ),
  trigger(
    'destruction',
    'warn',
    'rm -',
    new RegExp(
      `(?<![\\w.-])rm\\s{1,3}-[a-z]{0,3}r[a-z]{0,3}\\s{1,3}(?:${ROOTS}|\\$\\w{1,30}/\\*?)(?=[\\s;&|)\`]|$)`,
      'iy',
    ),
  ),
  trigger('destruction', 'block', '--no-preserve-root', /--no-preserve-root/y),
  trigger(
    'destruction',
    'block',
    'dd if=¦dd of=',
    /dd\s[^\n]{0,80}of=\/dev\/(?:sd|nvme|hd|vd|xvd|disk|mmcblk)\w{0,12}/iy,
  ),
  trigger(
    'destruction',
    'block',
    'mkfs¦wipefs¦shred',
    /(?<![\w-])(?:mkfs(?:\.\w{2,6})?|wipefs|shred)\s[^\n]{0,40}\/dev\/\w{2,20}/iy,
  ),
  trigger('destruction', 'block', '> /dev/¦>/dev/', /> ?\/dev\/(?:sd[a-z]|nvme\d|hd[a-z]|vd[a-z]|disk\d)/iy),
  trigger('destruction', 'block', ':(){¦:() {', /:\(\) ?\{ ?:\|:& ?\};:/y),
  trigger('destruction', 'block', '() {¦(){', /\(\) ?\{ ?(\w{1,20}) ?\| ?\1 ?& ?\}/y),
  trigger(
    'destruction',
    'block',
    'chmod¦chown',
    /(?<![\w-])ch(?:mod|own)\s{1,3}(?:-R|--recursive)\s{1,3}[\w:+=,-]{1,20}\s{1,3}\/(?:etc|usr|bin|var|lib)?\/?(?=[\s;&|)`'"]|$)/y,
  ),
  trigger('destruction', 'block', 'format c:¦format d:', /format [cd]:/iy),
  trigger(
    'destruction',
    'block',
    'del /¦rd /¦rmdir /',
    /(?<![\w-])(?:del|rd|rmdir)(?:\s{1,3}\/[fsqa]){1,4}\s{1,3}["']?(?:[a-z]:\\?(?:windows|users)?\\?\*?(?=[\s"'`.;]|$)|%(?:systemroot|userprofile|systemdrive)%)/iy,
  ),
  trigger(
    'destruction',
    'block',
    'remove-item',
    /remove-item\s(?=[^\n]{0,80}-r)[^\n]{0,60}?(?:[a-z]:\\(?:windows|users)?\\?\*?(?=[\s"'`;]|$)|\$env:(?:userprofile|systemroot)|\$home)/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'drop database¦drop schema',
    /drop (?:database|schema) (?!if exists (?:test|tmp|temp))[\w."`[\]]{1,60}/iy,
  ),
  trigger('destruction', 'warn', 'kubectl delete', /kubectl delete [^\n]{0,60}(?:--all\b|-A\b)/iy),
  trigger(
    'destruction',
    'warn',
    'terraform destroy¦pulumi destroy¦tofu destroy¦cdk destroy',
    /(?:terraform|pulumi|tofu|cdk) destroy [^\n]{0,40}(?:-auto-approve|--yes|-y\b|--force)/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'git push',
    /git push\s(?:[^\n]{0,40}\s)?(?:--force|-f)\b(?!-with-lease)[^\n]{0,30}(?:\b(?:main|master|production|release)\b)|git push [^\n]{0,30}(?:\+(?:main|master)|(?:main|master) (?:--force|-f))\b/iy,
  ),
  trigger(
    'destruction',
    'block',
    'find /¦find ~¦find $home',
    /find (?:\/|~\/?|\$HOME\/?) [^\n]{0,80}(?:-delete\b|-exec rm\b)/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'aws s3 r¦gsutil¦gcloud projects delete¦az group delete¦rclone purge',
    /aws s3 (?:rb s3:\/\/\S{1,80} --force|rm s3:\/\/\S{1,80} --recursive)|gsutil [^\n]{0,20}\brm -r \S{1,80}|gcloud projects delete|az group delete|rclone purge/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'docker rm¦docker system prune¦docker volume',
    /docker (?:rm -f \$\(docker ps|system prune [^\n]{0,20}--volumes|volume (?:rm \$\(docker|prune [^\n]{0,10}-[af]))/iy,
  ),
]

export const COMMAND_TRIGGERS: readonly Trigger[] = [...REMOTE_CODE, ...DESTRUCTION]

const SENSITIVE =
  '(?:id_rsa|id_ed25519|id_ecdsa|\\.ssh\\b|\\.aws\\b|\\.env\\b|\\.netrc|\\.npmrc|\\.pypirc|\\.gnupg|\\.kube\\b|\\.git-credentials|/etc/(?:passwd|shadow|hostname)|_history\\b|process\\.env|os\\.environ|printenv|credentials\\b)'

const unlessToAllowed = (
  match: RegExpExecArray,
  _: string,
  isAllowedHost: IsAllowedHost,
): readonly Found[] => (goesToAllowed(match[0], isAllowedHost) ? [] : [spanOf(match)])

const SENDER = '(?<![\\w-])(?:curl|wget)\\s'

/** Commands and code that send out private data. */
const SENDING: Trigger[] = [
  farTrigger('exfiltration', 'block', 'curl¦wget', {
    head: SENDER,
    gap: '[^\\n]{0,160}?',
    part: `(?:-d|--data[\\w-]{0,14}|-F|--form|-T|--upload-file|--post-file|--post-data)[ =]["']?[^\\n]{0,60}?${SENSITIVE}`,
    within: 'curl '.length + 160,
  }),
  farTrigger(
    'exfiltration',
    'warn',
    'curl¦wget',
    {
      head: SENDER,
      gap: '[^\\n]{0,100}?',
      part: '(?:https?://)[^\\s"\']{1,120}?\\$\\{?\\w{0,30}(?:TOKEN|KEY|SECRET|PASSW)',
      within: 'curl '.length + 100,
      flags: '',
    },
    unlessToAllowed,
  ),
  farTrigger(
    'exfiltration',
    'block',
    'curl¦wget',
    {
      head: SENDER,
      gap: '[^\\n]{0,100}?',
      part: `https?://[^\\s"']{1,120}?(?:\\$\\(|\`)(?:cat|base64)\\s[^)\`\\n]{0,60}?${SENSITIVE}`,
      within: 'curl '.length + 100,
    },
    unlessToAllowed,
  ),
  farTrigger('exfiltration', 'block', 'scp ¦rsync ¦nc ¦ncat ¦sftp ', {
    head: '(?<![\\w-])(?:scp|rsync|ncat|nc|sftp)\\s',
    gap: '[^\\n]{0,80}?',
    part: `${SENSITIVE}[^\\n]{0,80}(?:@|:|\\d)`,
    within: 'rsync '.length + 80,
  }),
  trigger(
    'exfiltration',
    'block',
    '| curl¦|curl¦| nc ¦|nc ¦| ncat',
    new RegExp(
      `(?<=(?:${SENSITIVE}|\\benv\\b|\\bhistory\\b|\\bset\\b)[^\\n|]{0,40}(?:\\|[^\\n|]{0,40})?)\\| ?(?:curl|nc|ncat)\\b`,
      'iy',
    ),
  ),
  trigger(
    'exfiltration',
    'warn',
    '| curl¦|curl',
    /\| ?curl\s[^\n]{0,80}?(?:-d|--data[\w-]{0,14}|-F|-T|--upload-file)[ =]?["']?(?:\w{1,10}=)?(?:@-|-)(?=[\s"']|$)[^\n]{0,120}/iy,
    unlessToAllowed,
  ),
  trigger('exfiltration', 'block', 'printenv¦env >', /(?:printenv|env) > ?[^\n]{1,60}curl\b/iy),
  trigger(
    'exfiltration',
    'block',
    'nslookup ¦dig ¦ping ',
    /(?:nslookup|dig|ping) [^\n]{0,30}[$`]\(?(?:cat |whoami|hostname|env|id\b|base64)/iy,
  ),
  trigger(
    'exfiltration',
    'warn',
    'git push http¦git remote add',
    /git (?:push https?:\/\/[^\n]{1,120}|remote add \w{1,30} https?:\/\/[^\n]{1,120}git push[^\n]{0,30}--(?:all|mirror))/iy,
    unlessToAllowed,
  ),
  trigger(
    'exfiltration',
    'warn',
    '![',
    /!\[[^\]\n]{0,100}\]\(https?:\/\/[^)\s][^)\s?&=/]{0,199}[?&=/][^)\s]{0,280}?(?:\{|%7b|<|\$|_token|_key|secret|base64)/iy,
  ),
  trigger(
    'exfiltration',
    'warn',
    'requests.post(¦fetch(¦axios.post(',
    /(?:requests\.post|fetch|axios\.post)\((?=[^\n]{0,40}https?:)[^\n]{0,160}?(?:open\(["'](?:\/root|\/home|\/etc|~|\.env)|process\.env\.|os\.environ)/iy,
    unlessToAllowed,
  ),
]

const DATA =
  '(?:\\.env\\b|private key|ssh key|api[ -]key|access token|secret key|\\bsecrets\\b|\\bpasswords?\\b|credentials|the conversation|this conversation|messages of this|this chat|chat history|environment variables|[A-Z_]{3,40}_(?:KEY|TOKEN|SECRET|PASSWORD)\\b|tool results|the session|session log)'
const OUTSIDE =
  '(?:https?:|address|\\bbots?\\b|support|maintainers?|comment|\\btitle\\b|\\blinks?\\b|\\burl\\b|helper|gist|\\bwiki\\b|e-?mail|webhook|public|author|image|service\\b)'

/** Requests in plain words. */
const SENDING_SENTENCES: Trigger[] = [
  trigger(
    'exfiltration',
    'warn',
    'send¦email¦e-mail¦upload¦post ¦forward¦share ¦paste¦include¦append¦write¦copy¦submit¦attach',
    new RegExp(
      `(?<![\\w-])(?:send|e-?mail|upload|post|forward|share|paste|include|append|write|copy|submit|attach) (?!\\w{1,20}ing\\b)[^.!?\\n]{0,50}?${DATA}[^.!?\\n]{0,80}?\\b(?:to|into|in|with|by) (?:the |a |an |your )?[^.!?\\n]{0,40}?${OUTSIDE}`,
      'iy',
    ),
  ),
]

export const EXFILTRATION_TRIGGERS: readonly Trigger[] = [...SENDING, ...SENDING_SENTENCES]

const ARCHIVE =
  /\.(?:exe|msi|dmg|pkg|deb|rpm|apk|appimage|zip|tar|tgz|tar\.\w{2,3}|gz|xz|7z|whl|egg|gem|jar|war|sh|ps1|bat|cmd|iso|img|bin|run|so|dll|rb|crx|vsix)(?:[?#]|$)/i
const DOWNLOADER =
  /(?:^|[\s`;&|(])(?:curl|wget|aria2c|git clone|git submodule add|pip3? install|npm (?:i|install|add)|yarn add|pnpm add|docker (?:pull|run)|podman (?:pull|run)|helm (?:repo add|install)|go (?:get|install)|brew (?:install|tap)|iwr|irm|invoke-webrequest|start-bitstransfer|gem install|cargo install|kubectl apply|npx|uv add|conda install|apt install|dpkg -i)\s/i
const LONGEST_LINE = 160

function isDownload(match: RegExpExecArray, text: string): boolean {
  if (ARCHIVE.test(match[2] ?? '')) return true
  const before = text.slice(Math.max(0, match.index - LONGEST_LINE), match.index)
  return DOWNLOADER.test(before.slice(before.lastIndexOf('\n') + 1))
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
