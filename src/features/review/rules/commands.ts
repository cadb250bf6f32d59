import { goesToAllowed } from '../hosts.ts'
import { type Found, farTrigger, type IsAllowedHost, spanOf, type Trigger, trigger } from '../rule.ts'

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
