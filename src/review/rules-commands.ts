import {
  AUTHORITY,
  downloadsFromAllowed,
  goesToAllowed,
  hostOf,
  isOpaque,
  runsFromAllowed,
} from './known-software.ts'
import {
  aroundTrigger,
  type DangerMatch,
  farTrigger,
  type IsAllowedHost,
  spanOf,
  type Trigger,
  trigger,
} from './rule.ts'

/** Lowers the severity to note if all hosts are known. */
const unlessAllowed = (
  match: RegExpExecArray,
  _: string,
  isAllowedHost: IsAllowedHost,
): readonly DangerMatch[] => [
  runsFromAllowed(match[0], isAllowedHost) ? { ...spanOf(match), severity: 'note' } : spanOf(match),
]

const unlessDownloadAllowed = (
  match: RegExpExecArray,
  _: string,
  isAllowedHost: IsAllowedHost,
): readonly DangerMatch[] => [
  downloadsFromAllowed(match[0], isAllowedHost) ? { ...spanOf(match), severity: 'note' } : spanOf(match),
]

const EXECUTES =
  'exec|eval|system|spawn|popen|subprocess|child_process|compile|import\\(|__import__|getattr|pickle|marshal|runpy|yaml|Function|["\']vm["\']|node:vm'
/** Excludes programs that only read JSON: `python3 -m json.tool`, `node -pe "JSON.parse(…)"`. */
const READS_JSON = `(?:\\s{1,3}-[\\w:]{1,12}){0,3}?\\s{1,3}-(?:m\\s{1,3}json\\.tool\\b|[a-z]{0,4}[cep]\\s{1,3}["'](?=[^\\n]{0,300}?json)(?![^\\n]{0,300}?(?:${EXECUTES})))`
const INTERPRETER = `(?:sudo\\s{1,3}(?:-\\w{1,3}\\s{1,3})?)?(?:/(?:usr/)?bin/)?(?:env\\s{1,3})?(?:(?:(?:ba|z|da|k|fi)?sh|iex|pwsh|powershell)\\b|(?:python[\\d.]{0,4}|perl|ruby|node|php)\\b(?!${READS_JSON}))`
const FILTERS = '(?:\\s{0,3}(?:tee|gunzip|zcat|xzcat|gzip|xz|unxz|zstd|sed|tr|rev)\\b[^|\\n]{0,60}\\|){0,3}'
const ARGUMENTS = '(?:[^\\n|\\\\]|\\\\(?:\\r?\\n)?){0,300}'
const ARGUMENTS_END = /\||(?<!\\\r?)\n/g
const FETCHERS = 'curl¦wget¦iwr ¦irm ¦invoke-webrequest¦invoke-restmethod'
const FETCHER = '(?<![\\w-])(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\\b'
const MAX_FETCHER_LENGTH = 'invoke-restmethod'.length

const REMOTE_CODE: Trigger[] = [
  farTrigger(
    'remote_code',
    'block',
    FETCHERS,
    {
      head: FETCHER,
      gap: ARGUMENTS,
      part: `\\|${FILTERS}\\s{0,3}${INTERPRETER}`,
      within: MAX_FETCHER_LENGTH + 300 * '\\\r\n'.length,
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
      within: MAX_FETCHER_LENGTH + 250,
    },
    unlessDownloadAllowed,
  ),
  farTrigger(
    'remote_code',
    'block',
    FETCHERS,
    {
      head: FETCHER,
      gap: '[^\\n|]{0,250}',
      part: '\\|\\s{0,3}(?:sudo )?tar\\s[^\\n&;]{0,60}(?:-C ?/(?:\\s|$)|&&\\s{0,2}/)',
      within: MAX_FETCHER_LENGTH + 250,
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
    'exec(¦eval(¦eval get¦eval uri¦eval open¦function(atob',
    /(?<![\w.])(?:exec|eval|function) ?(?:get|(?:uri\.)?open)?\((?:\w{1,20}\()?["'\s]{0,3}(?:(?:urllib|u|requests|__import__|base64|zlib|codecs|marshal|atob|b64decode|file_get_contents)\b|https?:)/iy,
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

/** Matches a code origin that is given instead of a package name. */
const ORIGIN = '(?:github:|gitlab:|bitbucket:|gist:|git\\+|git:|git@|ssh:|https?:|ftp:|\\\\\\\\\\w)'
const PACKAGE_RUNNERS =
  '(?:npx|bunx|pnpx|uvx|pipx run|pipx install|pnpm dlx|yarn dlx|npm exec|npm x|bun x|uv tool (?:run|install)|uv run|deno (?:run|install|eval|serve)|bun run|cargo install|go run|go install|nix (?:run|shell|develop)|npm create|npm init|yarn create|cargo script|tsx|ts-node|jbang|dotnet tool install|composer global require|gem specific_install|pip3? install|npm (?:i|install) -g|npm (?:i|install) --global|npm add|yarn global add|Rscript -e|julia -e|devtools::install_github|code --install-extension|brew install|helm plugin install|kubectl krew install|gh extension install|vim \\+|docker build|ansible-pull|terraform init -from-module)'
/** Official repositories of a language, whose tools are commonly executed from there. */
const USUAL_TOOLS =
  /go (?:run|install)\s[^\n]{0,40}(?:golang\.org|google\.golang\.org|k8s\.io|sigs\.k8s\.io|honnef\.co|mvdan\.cc)\/|deno (?:run|install)\s[^\n]{0,80}(?:jsr:|npm:)|docker build|brew install/i

const PACKAGES_FROM_ELSEWHERE: Trigger[] = [
  trigger(
    'remote_code',
    'warn',
    'npx ¦bunx ¦pnpx ¦uvx ¦pipx ¦pnpm dlx¦yarn dlx¦npm exec¦npm x ¦bun x¦uv tool¦uv run¦jbang¦npm create¦npm init¦dotnet tool¦ansible-pull',
    new RegExp(`(?<![\\w-])${PACKAGE_RUNNERS}\\s(?:[^\\n;&|]{0,120}?[\\s="'@])?["']?${ORIGIN}`, 'iy'),
  ),
  trigger(
    'remote_code',
    'warn',
    'npx ¦bunx ¦pnpm dlx¦yarn dlx',
    /(?<![\w-])(?:npx|bunx|pnpm dlx|yarn dlx)(?:\s-{1,2}[\w=-]{1,30}){0,4}\s(?!@)[\w.-]{1,40}\/[\w.-]{1,60}(?:#[\w.-]{1,60})?(?=[\s`"']|$)/iy,
  ),
  trigger('remote_code', 'warn', 'cargo install', /cargo install\s[^\n;&|]{0,80}--git\b/iy),
  trigger(
    'remote_code',
    'warn',
    'go run¦go install',
    /go (?:run|install)(?:\s-[\w=./-]{1,40}){0,4}\s["']?[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}\/[\w./-]{1,120}@(?:latest|main|master|head|dev|[0-9a-f]{7,40})\b/iy,
    (match) => (USUAL_TOOLS.test(match[0]) || /^go install/i.test(match[0]) ? [] : [spanOf(match)]),
  ),
  trigger(
    'remote_code',
    'warn',
    'deno run¦deno install¦deno serve¦deno eval¦bun run¦deno -a',
    /(?:deno(?: run| install| serve| eval)?|bun run)\s[^\n;&|]{0,120}?(?:https?:\/\/[^\s"'`]{1,200}|https?:)/iy,
    (match, _, isAllowedHost) =>
      runsFromAllowed(match[0], isAllowedHost) && !/\s(?:-A|--allow-all|--allow-run)\b/.test(match[0])
        ? []
        : [spanOf(match)],
  ),
  trigger(
    'remote_code',
    'warn',
    'pip install¦pip3 install¦uv add¦poetry add¦pdm add¦npm i ¦npm install¦yarn add¦pnpm add¦bun add¦gem install¦brew install',
    /(?:pip3? install|(?:uv|poetry|pdm) add|npm (?:i|install)|(?:yarn|pnpm|bun) add|gem install|brew install)\s[^\n;&|]{0,80}?(?:git\+|https?:|ssh:)[^\s"'`]{1,200}/iy,
    (match, _, isAllowedHost) => (runsFromAllowed(match[0], isAllowedHost) ? [] : [spanOf(match)]),
  ),
  trigger(
    'remote_code',
    'warn',
    'nix run¦nix shell',
    /nix (?:run|shell)\s[^\n;&|]{0,60}?(?:git\+|https?:|tarball)/iy,
  ),
]

/** Programs of Windows and others that execute the content of an address or a share. */
const SYSTEM_RUNNERS: Trigger[] = [
  trigger(
    'remote_code',
    'block',
    'mshta¦regsvr32¦rundll32¦msiexec¦wmic¦cscript¦wscript¦certutil¦bitsadmin¦installutil¦regasm¦cmstp¦odbcconf¦hh.exe¦forfiles¦pcalua¦msbuild¦presentationhost¦explorer¦control.exe¦java -jar¦javaws¦osascript¦winget¦appinstaller¦ieexec',
    /(?<![\w-])(?:mshta|regsvr32|rundll32|msiexec|wmic|cscript|wscript|certutil|bitsadmin|installutil|regasm|cmstp|odbcconf|hh|pcalua|msbuild|presentationhost|java -jar|javaws|osascript|winget|ieexec)(?:\.exe)?\s[^\n]{0,120}?(?:(?:https?|ftp|ms-appinstaller):|javascript:|vbscript:|\\\\[\w.-]{1,60}\\|scrobj|-urlcache|curl )[^\n]{0,120}/iy,
    (match, _, isAllowedHost) =>
      runsFromAllowed(match[0], isAllowedHost) ? [{ ...spanOf(match), severity: 'note' }] : [spanOf(match)],
  ),
  trigger(
    'remote_code',
    'warn',
    'scriptblock]::create¦assembly]::load¦add-type',
    /(?:scriptblock\]::create|assembly\]::load|add-type)\W{0,6}\(?[^\n]{0,160}?(?:irm|iwr|download|frombase64|http)/iy,
  ),
  trigger('remote_code', 'warn', 'frombase64string', /frombase64string\(/iy, (match, text) =>
    /iex|invoke|load|start-process|::create/i.test(
      text.slice(Math.max(0, match.index - 160), match.index + 200),
    )
      ? [spanOf(match)]
      : [],
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

const EVERYTHING_THERE =
  '(?:["\'(]?(?:/|~|~/\\*|/\\*|[A-Za-z]:[\\\\/]{0,4}\\*?|\\$\\{?HOME\\}?|\\$env:(?:userprofile|systemdrive|systemroot|home)|%(?:userprofile|systemdrive|systemroot|homepath)%|/(?:etc|usr|var|home|root|boot|opt|lib|bin|srv|Users|mnt|data|Library)(?:/\\*)?)/?["\']?(?=[\\s,;)&|`\'"]|$)|(?:os\\.path\\.)?expanduser\\(["\']~|path\\.home\\(|os\\.homedir\\(|homedir\\(|os\\.environ\\[["\']HOME|process\\.env\\.HOME|System\\.getProperty\\("user\\.home|Dir\\.home|\\[environment\\]::getfolderpath)'
const CONFIGURATION = '(?:~|\\$\\{?HOME\\}?|/(?:etc|root|boot|home/[\\w*]{1,30}|Users/[\\w*]{1,30}))/'

const EVERYTHING_NAMED = new RegExp(`(?<![\\w.\\])}~$/])${EVERYTHING_THERE}`, 'i')
/** Without these options the commands take single files only. */
const TAKES_ALL =
  /\/t\b|-r|\/s|\/[fq]\b|rmtree|rm_rf|rimraf|remove|rmsync|fs\.rm|shred|srm|wipe|truncate|trash|cipher/i
const COMMAND_END = /\n|&&|;|\|/

function destroysEverything(part: string): boolean {
  const [command = ''] = part.split(COMMAND_END, 1)
  const named = EVERYTHING_NAMED.exec(command)?.[0].trim()
  if (named === undefined || !TAKES_ALL.test(command)) return false
  // Python joins paths by a slash.
  return !(named === '/' && command.includes('('))
}

const HOME_OR_SYSTEM =
  /\s["']?(?:(?:~|\$\{?HOME\}?|\/home\/[\w*$]{1,30}|\/Users\/[\w*$]{1,30})\/(?:\*|\.\*|\.?\[|\.ssh\b|\.gnupg|\.aws\b|\.config\/?(?=[\s;&|"'`]|$)|Documents|Desktop|Pictures|Library\/?(?=[\s;&|"'`]|$)|projects?\b|src\b|work\b|code\b)|\/var\/lib\/(?:postgresql|mysql|mongodb)\b|\/(?:etc|usr|var|boot|lib|opt|srv|home|root|mnt|data)\/?(?:\*|\{|(?=[\s;&|"'`]|$))|\.git(?=[\s;&|"'`]|$)|\.\*(?=[\s;&|"'`]|$))/

function removesHome(part: string): boolean {
  const [command = ''] = part.split(COMMAND_END, 1)
  return (
    /^[^\w.-]?rm\s/.test(command) &&
    /\s-[a-zA-Z]{0,5}[rR]|--recursive/.test(command) &&
    HOME_OR_SYSTEM.test(command)
  )
}

const MASS_DESTRUCTION: Trigger[] = [
  aroundTrigger(
    'destruction',
    'warn',
    'rmtree¦rmsync¦rmdirsync¦fs.rm(¦rimraf¦remove_dir_all¦fileutils.rm_rf¦removeall(¦deletedirectory¦directory.delete¦rm_rf¦del-tree¦unlinksync¦remove_tree¦file.delete¦trash ¦srm ¦shred ¦wipe ¦unlink ¦truncate ¦remove-item¦ri -r¦rm -r¦del /¦rd /¦rmdir /s¦erase /¦deltree¦icacls ¦takeown¦attrib ¦cipher /',
    destroysEverything,
    { before: 0, behind: 120 },
  ),
  trigger(
    'destruction',
    'warn',
    'shred ¦srm ¦wipe -',
    new RegExp(`(?<![\\w-])(?:shred|srm|wipe)\\s[^\\n]{0,60}?(?:${CONFIGURATION}|\\.ssh|\\*|-r)`, 'iy'),
  ),
  trigger(
    'destruction',
    'warn',
    'mv ¦move ',
    /(?<![\w-])(?:mv|move)\s[^\n]{1,120}?\s(?:\/dev\/null|nul)\b/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'ln -s',
    /ln -s\w{0,3}\s\/dev\/null\s[^\n]{0,20}(?:~|\/etc|\/home|\$HOME)/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'xargs',
    /xargs(?:\s-[\w{}]{1,8}){0,4}\s(?:sudo )?(?:rm -\w{0,3}[rf]|shred|unlink|kubectl delete|docker rm|git branch -D|aws [^\n]{0,30}delete)/iy,
    (match, text) => {
      const before = text.slice(Math.max(0, match.index - 160), match.index)
      const line = before.slice(before.lastIndexOf('\n') + 1)
      return /(?:find|ls|locate|fd)[^|]{0,40}\s(?:\/|~|\$HOME|\/\w{2,5})(?:\s|\/?\*|\/?\s|$)|--all|-A\b|get \w{2,20} -o name|shred/i.test(
        line + match[0],
      )
        ? [spanOf(match)]
        : []
    },
  ),
  trigger(
    'destruction',
    'warn',
    'find ',
    /find\s{1,2}(?:\/|~|\$HOME|"\$HOME"|\/home|\/etc|\/var|\/usr|\/root|\/Users|\/srv|\/mnt|\/data)\/?\S{0,20}\s[^\n]{0,120}(?:-exec(?:dir)? (?:sudo )?(?:rm|shred|unlink|mv|chmod|truncate|sh|sed)|-delete)\b/iy,
    (match) =>
      /-mtime|-atime|-mmin|\.(?:log|tmp|cache|pyc|swp|bak|DS_Store)|\/(?:tmp|cache|log)\b|node_modules|__pycache__|chmod [67][45]\d/i.test(
        match[0],
      )
        ? []
        : [spanOf(match)],
  ),
  trigger(
    'destruction',
    'warn',
    'of=',
    /(?<=dd\s[^\n]{0,100})of=(?:~|\$HOME|\/etc|\/boot|\\\\\.\\physicaldrive|\/dev\/(?!null|stdout|zero|shm))/iy,
  ),
  trigger(
    'destruction',
    'block',
    'vssadmin¦wbadmin¦bcdedit¦wmic shadowcopy¦shadowcopy',
    /(?:vssadmin(?:\.exe)?\s{1,2}(?:delete|resize)|wbadmin\s{1,2}delete|bcdedit[^\n]{0,60}(?:recoveryenabled\s{1,2}no|ignoreallfailures)|shadowcopy\s{1,2}delete|win32_shadowcopy[^\n]{0,60}delete)/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'diskpart¦clear-disk¦format-volume¦erasedisk¦erasevolume¦secureerase¦partitiondisk¦blkdiscard¦sgdisk¦luksformat¦lukserase¦hdparm¦nvme format¦nvme sanitize¦parted¦sfdisk¦zpool destroy¦zfs destroy¦vgremove¦lvremove¦pvremove¦initialize-disk¦mdadm¦format /¦format.com¦mkswap',
    /(?:diskpart[^\n]{0,60}clean|clear-disk|format-volume|erase(?:disk|volume)|secureerase|partitiondisk|blkdiscard\s|sgdisk\s[^\n]{0,30}(?:-Z|--zap)|cryptsetup[^\n]{0,30}luks(?:format|erase)|luks(?:format|erase)|hdparm[^\n]{0,60}security-erase|nvme (?:format|sanitize)|sfdisk --delete|zpool destroy|zfs destroy -\w*r|[vlp]v?gremove|lvremove|pvremove|mdadm --zero|initialize-disk|format \/|mkswap \/dev)/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'sysrq-trigger¦kill -9 -1¦kill -kill -1¦killall5¦/dev/mem',
    /sysrq-trigger|kill -(?:9|KILL) -1\b|killall5|\/dev\/k?mem/iy,
  ),
  trigger(
    'destruction',
    'warn',
    '/etc/passwd¦/etc/shadow¦/etc/fstab¦/etc/sudoers¦/boot/',
    /(?<=(?:^|[\s;&`])(?:rm (?:-\w{1,4} )?|: ?> ?|> ?|cat \/dev\/null > ?|truncate -s ?0 |shred (?:-\w{1,3} )?))\/(?:etc\/(?:passwd|shadow|fstab|sudoers)|boot\/)/iy,
  ),
  aroundTrigger('destruction', 'warn', 'rm -', removesHome, { before: 1, behind: 120 }),
  trigger(
    'destruction',
    'warn',
    'git push¦git reflog expire¦git update-ref -d¦filter-branch¦filter-repo¦git for-each-ref',
    /git push\s[^\n;&|]{0,60}(?:--mirror\b|--delete\s{1,2}(?:origin )?(?:main|master|production|release|--all)|\s:(?:refs\/heads\/)?(?:main|master|production)|--force[^\n;&|]{0,20}--all|--all[^\n;&|]{0,20}(?:--force|-f)\b)|git for-each-ref[^\n]{0,120}(?:update-ref -d|xargs git)/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'gh repo delete¦gh api¦gh release delete¦glab repo delete¦npm unpublish¦heroku apps:destroy¦heroku pg:reset¦flyctl apps destroy¦fly apps destroy¦vercel rm¦doctl¦linode-cli¦hcloud¦gcloud sql¦gcloud compute¦aws rds¦aws ec2 terminate¦aws dynamodb delete¦aws iam delete¦aws kms¦aws cloudformation delete¦aws backup¦aws eks delete¦az vm delete¦az sql¦az storage account delete¦velero¦eksctl delete¦helm uninstall¦kubectl delete¦oc delete¦etcdctl del¦consul kv delete¦vault secrets disable',
    /(?:gh repo delete|gh api[^\n]{0,120}(?:-X|--method) ?DELETE|glab repo delete|npm unpublish [^\n]{0,60}(?:--force|-f)\b|heroku (?:apps:destroy|pg:reset)|fly(?:ctl)? apps destroy|vercel rm [^\n]{0,40}(?:--yes|-y)|(?:doctl|linode-cli|hcloud)\s[^\n]{0,60}\bdelete\b[^\n]{0,30}(?:-f|--force)|gcloud (?:sql|compute)[^\n]{0,60}\bdelete\b[^\n]{0,60}(?:--quiet|-q)\b|aws (?:rds delete[^\n]{0,100}skip-final|ec2 terminate-instances|dynamodb delete-table|iam delete|kms schedule-key-deletion|cloudformation delete-stack|backup delete|eks delete)|az (?:vm|sql\s\w{1,10}|storage account) delete[^\n]{0,80}(?:--yes|-y)\b|eksctl delete cluster|(?:kubectl|oc) delete\s[^\n]{0,60}(?:--all\b|--all-namespaces|-A\b|\bpv\b|\bcrds?\b[^\n]{0,10}--all|(?:ns|namespaces?)\s{1,2}(?:kube-system|default|prod))|etcdctl[^\n]{0,60}\bdel\s{1,2}(?:""|\/)[^\n]{0,20}(?:--prefix|--from-key)|consul kv delete -recurse|vault secrets disable)/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'dropdatabase¦flushall¦dropdb ¦mysqladmin¦delete from¦truncate table¦drop table¦drop owned¦deletemany({})¦drop keyspace¦deletebyquery¦/_all¦delete http¦_delete_by_query¦drop all¦rabbitmqctl',
    /(?:\.?dropdatabase\(|(?<=(?:redis-cli|valkey-cli)[^\n]{0,80})flushall|dropdb\s[^\n]{0,30}(?:-f|--force)|mysqladmin[^\n]{0,60}\bdrop\b|delete from\s["`\w.]{1,60}\s{0,2}(?:where\s{1,2}(?:1\s?=\s?1|true)|;\s{0,2}(?:delete from|commit|--))|(?<=-[ce] {1,2}["'][^"'\n]{0,40})delete from [\w.]{1,60};?(?=["'])|drop table\s(?:if exists )?["`\w.]{0,30}(?:users|accounts|customers|orders|payments)["`]?\b|drop owned by|deletemany\(\{\}\)|drop keyspace|(?<=(?:-X ?|--request )DELETE[^\n]{0,100})(?:\/_all|\/\*)|_delete_by_query[^\n]{0,80}match_all|rabbitmqctl (?:force_)?reset)/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'chmod¦chown¦icacls¦setfacl',
    /(?<![\w-])ch(?:mod|own|grp)\s{1,3}(?:-\w{1,4}\s{1,3}|--recursive\s{1,3}){1,3}[\w:+=,.-]{1,24}\s{1,3}["']?(?:\/(?:etc|usr|bin|sbin|var|lib|boot|home|root|opt)?\/?\*?|~\/?\*?|\$\{?HOME\}?\/?\*?)(?=[\s;&|)`'"]|$)/y,
    (match) => (/-\w{0,3}R|--recursive/.test(match[0]) ? [spanOf(match)] : []),
  ),
  trigger(
    'destruction',
    'warn',
    'docker ¦podman ',
    /(?:docker|podman)\s(?:volume|container|image|system)?\s?(?:rm|rmi|prune|kill|stop)\s[^\n]{0,30}(?:\$\((?:docker|podman) (?:ps|volume|images|container)|`(?:docker|podman) (?:ps|volume)|-\w{0,3}a\w{0,3} [^\n]{0,20}--volumes|--volumes[^\n]{0,20}(?:-a|--all|-f))/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'while true¦while :¦for (;;)¦fork while¦%0|%0¦os.fork()¦perl -e',
    /(?:%0\s?\|\s?%0|while (?:true|:|1)\s?;?\s?(?:do|:)?[^\n]{0,30}(?:fork\(|& ?done|dd if=\/dev\/zero of=|cat \/dev\/zero >)|(?:perl -e[^\n]{0,20})?fork while fork|while true:\s{0,4}os\.fork)/iy,
  ),
  trigger(
    'destruction',
    'warn',
    'reg delete¦remove-itemproperty¦clear-recyclebin¦get-aduser¦remove-aduser¦remove-vm¦remove-azresourcegroup¦get-childitem',
    /(?:reg delete\s{1,2}["']?hk(?:lm|cr|cu)\\?(?:software|system)?["']?(?:\s|$)|remove-azresourcegroup[^\n]{0,60}-force|get-(?:childitem|aduser|vm|adcomputer)[^\n|]{0,100}\|[^\n]{0,60}remove-)/iy,
  ),
]

export const COMMAND_TRIGGERS: readonly Trigger[] = [
  ...REMOTE_CODE,
  ...PACKAGES_FROM_ELSEWHERE,
  ...SYSTEM_RUNNERS,
  ...DESTRUCTION,
  ...MASS_DESTRUCTION,
]

const SENSITIVE =
  '(?:id_rsa|id_ed25519|id_ecdsa|\\.ssh\\b|\\.aws\\b|\\.env\\b|\\.netrc|\\.npmrc|\\.pypirc|\\.gnupg|\\.kube\\b|\\.git-credentials|/etc/(?:passwd|shadow|hostname)|_history\\b|process\\.env|os\\.environ|printenv|credentials\\b)'

const unlessToAllowed = (
  match: RegExpExecArray,
  _: string,
  isAllowedHost: IsAllowedHost,
): readonly DangerMatch[] => (goesToAllowed(match[0], isAllowedHost) ? [] : [spanOf(match)])

const SENDER = '(?<![\\w-])(?:curl|wget)\\s'

const PIPED = new RegExp(
  `(?:${SENSITIVE}|\\benv\\b|\\bhistory\\b|\\bset\\b)[^\\n|]{0,40}(?:\\|[^\\n|]{0,40})?\\| ?(?:curl|nc|ncat)`,
  'i',
)
const PICTURE =
  /^!\[[^\]\n]{0,100}\]\(https?:\/\/[^)\s][^)\s?&=/]{0,199}[?&=/][^)\s]{0,280}?(?:\{|%7b|<|\$|_token|_key|secret|base64)/i

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
  farTrigger(
    'exfiltration',
    'block',
    'scp ¦rsync ¦nc ¦ncat ¦sftp ',
    {
      head: '(?<![\\w-])(?:scp|rsync|ncat|nc|sftp)\\s',
      gap: '[^\\n]{0,80}?',
      part: `${SENSITIVE}[^\\n]{0,80}(?:@|:|\\d)`,
      within: 'rsync '.length + 80,
    },
    (match) =>
      new RegExp(SENSITIVE, 'i').test(match[0].replaceAll(/(?:-i|ssh -i)\s{1,2}\S{1,80}/g, ' '))
        ? [spanOf(match)]
        : [],
  ),
  aroundTrigger('exfiltration', 'block', '| curl¦|curl¦| nc ¦|nc ¦| ncat', (part) => PIPED.test(part), {
    before: 130,
    behind: 1,
  }),
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
  aroundTrigger('exfiltration', 'warn', '![', (part) => PICTURE.test(part), { before: 0, behind: 500 }),
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
const MAX_LINE_LENGTH = 160

function isDownload(match: RegExpExecArray, text: string): boolean {
  if (ARCHIVE.test(match[2] ?? '')) return true
  const before = text.slice(Math.max(0, match.index - MAX_LINE_LENGTH), match.index)
  return DOWNLOADER.test(before.slice(before.lastIndexOf('\n') + 1))
}

const atHost = (
  match: RegExpExecArray,
  text: string,
  isAllowedHost: IsAllowedHost,
): readonly DangerMatch[] => {
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
