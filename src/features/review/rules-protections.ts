import { goesToAllowed } from './hosts.ts'
import { type Found, farTrigger, type IsAllowedHost, spanOf, type Trigger, trigger } from './rule.ts'

const warned = (
  rule: 'weakened_check' | 'new_trust',
  keywords: string,
  pattern: RegExp,
  judge?: Trigger['judge'],
) => trigger(rule, 'warn', keywords, pattern, judge)

const unlessAllowed = (match: RegExpExecArray, _: string, isAllowedHost: IsAllowedHost): readonly Found[] =>
  goesToAllowed(match[0], isAllowedHost) ? [] : [spanOf(match)]

const WEAKENED: Trigger[] = [
  warned(
    'weakened_check',
    'node_tls_reject',
    /NODE_TLS_REJECT_UNAUTHORIZED["']?\]?\s{0,3}[=:]\s{0,3}["']?0/iy,
  ),
  warned(
    'weakened_check',
    'http.sslverify¦git_ssl_no_verify',
    /http\.sslverify[ =]{1,2}"?false|git_ssl_no_verify ?= ?(?:1|true)/iy,
  ),
  warned(
    'weakened_check',
    'verify=false¦verify = false¦verify_ssl=false¦verify_ssl = false',
    /verify(?:_ssl)? ?= ?False/y,
  ),
  warned('weakened_check', 'strict-ssl', /strict-ssl[ =]{1,3}false/iy),
  farTrigger('weakened_check', 'warn', 'curl', {
    head: '(?<![\\w-])curl\\s',
    gap: '(?:[^\\n|;]{0,120}\\s)?',
    part: '(?:-[a-zA-Z]{0,5}k[a-zA-Z]{0,4}|--insecure)(?=\\s|$)',
    within: 'curl '.length + 121,
    stop: /[|;]/g,
    flags: '',
  }),
  warned('weakened_check', '--no-check-certificate', /--no-check-certificate/iy),
  warned(
    'weakened_check',
    '--allow-unauthenticated¦allowinsecurerepositories¦--nogpgcheck¦--no-gpg-check',
    /--allow-unauthenticated|allowinsecurerepositories|--no-?gpg-?check/iy,
  ),
  warned('weakened_check', 'trusted=yes', /trusted=yes/iy),
  warned('weakened_check', 'setenforce', /setenforce (?:0|permissive)/iy),
  warned(
    'weakened_check',
    'ufw disable¦systemctl stop firewalld¦allprofiles state off',
    /ufw disable|systemctl stop firewalld|allprofiles state off/iy,
  ),
  warned('weakened_check', 'trusted-host', /trusted-host[ =]{1,3}[\w.-]{2,80}/iy),
  warned('weakened_check', 'stricthostkeychecking', /stricthostkeychecking[ =]no/iy),
  warned('weakened_check', 'insecureskipverify', /insecureskipverify\s{0,3}[:=]\s{0,3}true/iy),
  warned('weakened_check', 'rejectunauthorized', /rejectunauthorized["']?\s{0,3}[:=]\s{0,3}false/iy),
  warned('weakened_check', 'commit.gpgsign', /commit\.gpgsign[ =]{1,2}false/iy),
  warned('weakened_check', '--no-verify', /(?<=git (?:commit|push)\s[^\n]{0,60})--no-verify/iy),
  warned(
    'weakened_check',
    'executionpolicy',
    /executionpolicy\s{1,3}(?:-\w{1,20}\s{1,3})?(?:unrestricted|bypass)/iy,
  ),
  warned('weakened_check', 'chmod', /(?<![\w-])chmod\s{1,3}(?:-R\s{1,3})?(?:0?777|a\+rwx|ugo\+rwx)(?=\s|$)/y),
  warned(
    'weakened_check',
    'certificatevalidationcallback',
    /certificatevalidationcallback[^\n]{0,100}true/iy,
  ),
  warned('weakened_check', '_create_unverified_context', /(?<== ?ssl\.)_create_unverified_context/iy),
  warned('weakened_check', 'disable_warnings(', /(?<=urllib3[\w.]{0,40})disable_warnings\(/iy),
]

const NEW_TRUST: Trigger[] = [
  warned('new_trust', 'authorized_keys', /(?<=>> ?[\w~$/.{}-]{0,60}|tee [^\n]{0,60})authorized_keys/iy),
  warned(
    'new_trust',
    'set registry',
    /set registry[ =]{1,2}["']?https?:\/\/[^\s"'`]{1,200}/iy,
    unlessAllowed,
  ),
  warned(
    'new_trust',
    'registry=¦registry =¦--registry',
    /registry["']?[ =]{1,3}["']?https?:\/\/[^\s"'`]{1,200}/iy,
    unlessAllowed,
  ),
  warned(
    'new_trust',
    'index-url¦index_url¦-i http¦--source http',
    /(?:index[-_]url|-i|--source)[ =]{1,3}["']?https?:\/\/[^\s"'`]{1,200}/iy,
    unlessAllowed,
  ),
  warned('new_trust', 'apt-key add', /apt-key add/iy),
  warned('new_trust', 'sources.list', /(?<=tee [^\n]{0,40}|>> ?[^\n]{0,30})sources\.list/iy),
  warned('new_trust', 'add-apt-repository', /add-apt-repository [^\n]{0,20}deb http/iy),
  warned('new_trust', 'nopasswd', /nopasswd: ?all/iy),
  warned(
    'new_trust',
    '| crontab¦/etc/cron¦cron.d/',
    /\| ?crontab -|(?<=(?:>>?|tee(?: -a)?) ?)\/etc\/cron|(?<=(?:>>?|tee) ?\/etc\/)cron\.d\//iy,
  ),
  warned('new_trust', 'core.hookspath', /core\.hookspath[ =]\S/iy),
  warned(
    'new_trust',
    'add-trusted-cert¦update-ca-certificates¦-addstore¦import-certificate',
    /add-trusted-cert|update-ca-certificates|-addstore\s{1,3}["']?root|import-certificate\s[^\n]{0,120}root/iy,
  ),
  warned(
    'new_trust',
    'useradd¦usermod',
    /useradd [^\n]{0,30}-u ?0\b|usermod -a?G? ?(?:sudo|wheel|root)|usermod [^\n]{0,12}\b(?:sudo|wheel)\b/iy,
  ),
  warned('new_trust', 'gem sources', /gem sources (?:--add|-a) https?:\/\/[^\s"'`]{1,200}/iy, unlessAllowed),
  warned(
    'new_trust',
    'rpm --import¦gpg --import¦gpg --dearmor',
    /(?:rpm --import https?:\/\/[^\s"'`]{1,200}|(?<=(?:curl|wget)[^\n]{0,120}\| ?(?:sudo )?)gpg --(?:import|dearmor))/iy,
    unlessAllowed,
  ),
  warned('new_trust', 'mcp add', /(?<=(?:claude|codex|gemini|cursor|code) )mcp add\b/iy),
  warned(
    'new_trust',
    '.bashrc¦.zshrc¦.profile¦.bash_profile¦.zprofile',
    /(?<=>> ?(?:~|\$HOME|\/root|\/home\/\w{1,30})\/)\.(?:bashrc|zshrc|profile|bash_profile|zprofile)\b/iy,
    (match, text) => {
      const line = text.slice(Math.max(0, match.index - 160), match.index)
      return /alias\s+(?:sudo|ssh|git|su|npm)=|\/tmp\/|curl|wget|base64|eval/i.test(
        line.slice(line.lastIndexOf('\n') + 1),
      )
        ? [spanOf(match)]
        : []
    },
  ),
  warned('new_trust', '--privileged', /--privileged\b[^\n]{0,80}-v \/:/iy),
]

export const TRUST_TRIGGERS: readonly Trigger[] = [...WEAKENED, ...NEW_TRUST]
