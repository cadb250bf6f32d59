import { goesToAllowed, hostOf } from './hosts.ts'
import {
  aroundTrigger,
  type Found,
  farTrigger,
  type IsAllowedHost,
  spanOf,
  type Trigger,
  trigger,
} from './rule.ts'

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
  warned('new_trust', '--privileged', /--privileged\b[^\n]{0,80}-v \/:/iy),
]

/** Programs of infrastructure that need the whole machine, and say so in their own manual. */
const INFRASTRUCTURE =
  /(?:docker:(?:\d|dind|latest)|\bdind\b|rancher\/|kindest|minikube|k3s|k3d|binfmt|qemu-user-static|portainer|traefik|watchtower|gitlab-runner|cadvisor|node-exporter|node_exporter|datadog\/agent|testcontainers|ryuk|jenkins\/|drone|act_runner|nginx-proxy|docker-socket-proxy|dozzle|autoheal|home-?assistant|dockge|lazydocker|ctop|buildkit|buildx|calico|cilium|falco|promtail|fluent|filebeat|vector|netdata|telegraf)/i
const MOUNT = '(?:-v|--volume|--mount)[ =]["\']?(?:type=bind,)?(?:source=|src=)?'

/** What takes a container's wall away. */
const CONTAINERS: Trigger[] = [
  aroundTrigger(
    'weakened_check',
    'warn',
    '--privileged¦--pid=host¦--pid host¦--ipc=host¦--userns=host¦--uts=host¦--cap-add¦--security-opt¦--device¦-v /¦-v ~¦-v $home¦-v "$home¦-v "/¦-v \'/¦--volume¦--mount¦docker.sock¦containerd.sock¦crio.sock¦podman.sock¦--cgroupns=host',
    (part) =>
      /\b(?:docker|podman|nerdctl|ctr|lxc|incus)\b/i.test(part) &&
      !INFRASTRUCTURE.test(part) &&
      new RegExp(
        `--privileged\\b(?!=false)|--(?:pid|userns|ipc|uts)[= ]host|--cap-add[= ]["']?(?:ALL|(?:CAP_)?SYS_(?:ADMIN|MODULE|RAWIO|PTRACE)|DAC_READ_SEARCH)|--security-opt[= ]["']?(?:seccomp|apparmor|label|systempaths)[=:](?:unconfined|disabled?)|--device[= ]["']?/dev/(?:sd|nvme|mem|kmsg|disk)|${MOUNT}(?:/:|/,|/(?:etc|root|home|boot|proc|sys|var/lib/docker|usr|run|dev)/?[:,]|(?:~|\\$\\{?HOME\\}?|/root|/home/\\w{1,30})(?:/\\.(?:ssh|aws|kube|gnupg|docker|config))?/?["']?[:,]|(?:/var)?/run/(?:docker|containerd/containerd|crio/crio|podman/podman)\\.sock(?![:\\w./]{0,60}:ro\\b))`,
        'i',
      ).test(part),
    { before: 160, behind: 220 },
  ),
  trigger(
    'weakened_check',
    'warn',
    'privileged:¦hostpid:¦hostipc:¦allowprivilegeescalation:¦"privileged"¦"hostpid"¦hostpath:',
    /"?(?:privileged|hostPID|hostIPC|allowPrivilegeEscalation)"?\s?:\s?true|"?hostPath"?:\s{0,20}\{?\s{0,12}"?path"?:\s?["']?\/(?:etc|root|var\/run\/docker\.sock|proc|home|boot|var\/lib\/kubelet)?\/?["']?(?=[\s,}]|$)/iy,
    (match, text) =>
      INFRASTRUCTURE.test(text.slice(Math.max(0, match.index - 200), match.index + 200))
        ? []
        : [spanOf(match)],
  ),
  trigger(
    'weakened_check',
    'warn',
    '- /:/¦- "/:/¦- ~/.ssh:¦- $home¦- /etc:/¦- /root:/¦- ~:/¦- /proc:/',
    /- ["']?(?:\/|~\/\.(?:ssh|aws|kube)|~|\$\{?HOME\}?(?:\/\.(?:ssh|aws|kube))?|\/(?:etc|root|home))\/?:\/[\w./-]{0,60}/iy,
    (match, text) =>
      INFRASTRUCTURE.test(text.slice(Math.max(0, match.index - 300), match.index + 100))
        ? []
        : [spanOf(match)],
  ),
  trigger(
    'weakened_check',
    'warn',
    'nsenter¦chroot /',
    /nsenter\s[^\n]{0,60}(?:-t ?1\b|--target[= ]1\b)|chroot \/(?:host|mnt|hostfs)/iy,
  ),
  trigger(
    'weakened_check',
    'warn',
    'cluster-admin',
    /(?<=clusterrolebinding[^\n]{0,80}|clusterrole[= ])cluster-admin/iy,
  ),
]

const ALLOWS = /allow(?:ed-?tools)?["']?\s{0,2}[:= ]|permissions\.allow|["']allow["']/i
const EVERY_COMMAND =
  /["'\s[](?:Bash(?:\(\s?(?:\*|:\*|\*:\*|rm|curl|sudo|sh|bash)[^)\n]{0,20}\)|(?=["'\s,\]]))|Shell\(\*\)|run_shell_command|\*|mcp__\*)["'\s\]]|["'](?:bash|edit|\*|webfetch)["']\s{0,2}:\s{0,2}["']allow["']|bash: allow\b/i

/** Whether a list of permissions has every command. Lists of hosts and methods are others. */
const allowsEverything = (part: string): boolean =>
  ALLOWS.test(part) &&
  EVERY_COMMAND.test(part) &&
  /bash|shell|tool|mcp|permission/i.test(part) &&
  !/allow(?:ed)?[-_]?(?:origin|host|header|method)|https?:/i.test(part)

/** Switches by which an agent executes without asking. */
const PERMISSIONS: Trigger[] = [
  warned(
    'weakened_check',
    '--dangerously¦--yolo¦--trust-all¦--allow-all-tools¦--allow-all-paths¦bypasspermissions¦danger-full-access¦dangerously-¦--skip-permissions¦--approval-mode¦--ask-for-approval¦approval_policy¦approvalpolicy¦autoapprove¦auto_approve¦alwaysallow¦enableallproject¦yolo_mode¦"yolo"¦yolo mode¦skipdangerous¦dontask¦--no-confirm-tools¦--auto-approve-tools¦allowunsandboxed¦disablesandbox¦--no-sandbox-tools¦trust_level¦--full-auto¦-a never¦--always-approve¦--yes-always¦skip-permission¦auto-run mode¦auto-accept',
    /--dangerously-[\w-]{2,40}|--yolo\b|--trust-all[\w-]{0,12}|--allow-all-(?:tools|paths)|(?:["']?(?:defaultMode|permission[-_]?mode)["']?[ =:]{1,3}["']?)?bypasspermissions|danger-full-access|dangerously-\w{3,20}|--skip-permissions|--approval-mode[ =]["']?(?:yolo|never|full|auto)|--ask-for-approval[ =]["']?never|approval_?policy["']?\s{0,2}[=:]\s{0,2}["']?never|auto_?approve[\w.]{0,16}["']?\s{0,2}[=:]\s{0,2}(?:true|["']?\*|\[)|alwaysallow["']?\s{0,2}:\s{0,2}\[|enableallprojectmcpservers["']?\s{0,2}[=:]\s{0,2}true|yolo_mode|["']yolo["']|yolo mode|skipdangerous\w{0,30}["']?\s{0,2}:\s{0,2}true|["']dontask["']|disablesandbox|allowunsandboxed\w{0,12}["']?\s{0,2}:\s{0,2}true|trust_level\s?=\s?["']trusted|(?<=codex [^\n]{0,60})(?:--full-auto|-a never)|--always-approve|--yes-always|skip-permissions?|auto-run mode/iy,
  ),
  aroundTrigger(
    'weakened_check',
    'warn',
    '"allow"¦"allow":¦allowedtools¦--allowedtools¦--allowed-tools¦allow:¦permissions.allow¦"bash":¦bash: allow¦"*": "allow"¦terminal.autoapprove¦"edit": "allow"',
    allowsEverything,
    { before: 160, behind: 240 },
  ),
]

/** Variables that make every program load something. */
const PRELOADS: Trigger[] = [
  warned(
    'new_trust',
    'ld_preload¦dyld_insert¦ld_audit¦dyld_library¦pythonstartup¦bash_env¦perl5opt¦rubyopt¦node_options¦java_tool_options¦_java_options¦prompt_command¦git_external_diff¦git_proxy_command¦git_askpass¦ssh_askpass¦pythonpath=/tmp¦npm_config_script_shell¦electron_run_as_node¦pythonwarnings¦python_inspect¦ld_library_path=¦git_ssh_command¦gconv_path¦pythonhome=/tmp¦appinit_dlls¦cor_profiler',
    /(?:ld_preload|dyld_insert_libraries|ld_audit|pythonstartup|bash_env|perl5opt|rubyopt|node_options|java_tool_options|_java_options|prompt_command|git_external_diff|git_proxy_command|git_askpass|ssh_askpass|gconv_path|appinit_dlls|cor_profiler\w{0,6}|npm_config_script_shell|(?:ld_library_path|pythonpath|pythonhome|dyld_library_path)(?==["']?\/(?:tmp|var\/tmp|dev\/shm))|git_ssh_command)["']?\s{0,2}[=:]?\s{0,2}["'$({]{0,4}[^\n"']{1,160}/iy,
    (match) => (preloads(match[0]) ? [spanOf(match)] : []),
  ),
]

const HARMLESS_PRELOAD =
  /jemalloc|tcmalloc|mimalloc|libasan|libtsan|clang_rt|faketime|stderred|libeatmydata|gtk3-nocsd|proxychains|snoopy|nss_wrapper|libhugetlbfs|libgmalloc|opentelemetry|dd-trace|dd-java|newrelic|elastic-apm|sentry|datadog|jacoco|glowroot|skywalking|appdynamics|ts-node|tsx\b|tsconfig-paths|dotenv|source-map|esbuild-register|@swc|history -|__git_ps1|starship|_direnv|update_terminal|vte|=\s{0,2}["']?["']?\s{0,2}$/i

/** A variable is harmless unless what it loads is a file of its own, or it executes a command. */
function preloads(said: string): boolean {
  if (HARMLESS_PRELOAD.test(said)) return false
  const name = /^\w+/.exec(said)?.[0].toLowerCase() ?? ''
  const value = said.slice(name.length).replace(/^["']?\s*[=:]?\s*["'$({]*/, '')
  if (name === 'node_options')
    return /--(?:require|import|loader|experimental-loader)\b|-r\s|--inspect=0/.test(value)
  if (name.startsWith('_java') || name === 'java_tool_options')
    return /-(?:javaagent|agentpath|agentlib):/.test(value)
  if (name === 'perl5opt' || name === 'rubyopt') return /-[mMrI]/.test(value)
  if (name === 'prompt_command' || name === 'git_ssh_command')
    return /curl|wget|\bnc\b|base64|\/tmp|python|bash -|sh -c|proxycommand|\/dev\//i.test(value)
  return /^\s?[=:]/.test(said.slice(name.length)) || /[/\\]|\.so|\.dylib|\.dll|\.py|\.sh/.test(value)
}

/** Names, routes and proxies of the system, and tasks that it executes by itself. */
const SYSTEM: Trigger[] = [
  aroundTrigger(
    'new_trust',
    'warn',
    '/etc/hosts¦drivers\\etc\\hosts¦driversetchosts¦/etc/resolv.conf',
    (part) => {
      if (
        !/(?:>{1,2}|tee\b|\b(?:add|append|write|put|insert|sed|map|point|edit|add-content|echo)\w{0,3}\b)/i.test(
          part,
        )
      )
        return false
      const addresses = part.match(/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g) ?? []
      const strange = addresses.filter(
        (address) =>
          !/^(?:127|10|0)\.|^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.|^(?:8\.8\.[48]\.[48]|1\.[01]\.[01]\.1|9\.9\.9\.9|149\.112\.112\.112|208\.67\.22[02]\.22[02])$/.test(
            address,
          ),
      )
      return (
        strange.length > 0 ||
        /0\.0\.0\.0\s+[\w.-]*(?:update|defender|microsoft|crl|ocsp|github|npmjs|pypi|virustotal|sentinel|crowdstrike|security)/i.test(
          part,
        ) ||
        /(?:127\.0\.0\.1|0\.0\.0\.0)\s+[\w.-]*(?:update|ocsp|crl|security|npmjs|pypi|virustotal)/i.test(part)
      )
    },
    { before: 160, behind: 160 },
  ),
  warned(
    'new_trust',
    'http_proxy¦https_proxy¦all_proxy¦http.proxy¦https.proxy¦https-proxy¦set proxy¦proxy=¦--proxy¦networksetup¦winhttp set¦proxyserver',
    /(?:https?_proxy|all_proxy|https?\.proxy|https-proxy|set proxy|--proxy|proxy(?==)|winhttp set proxy|proxyserver)["']?[\s=:]{1,3}["']?(?:(?:https?|socks\w{0,2}):\/\/)?([^\s"'`/]{3,120})/iy,
    (match, _, isAllowedHost) => {
      const host = hostOf(match[1] ?? '')
      return host === undefined ||
        isAllowedHost(host) ||
        /(?:^|\.)(?:proxy|corp|company|mycompany|yourcompany|acme|your-?proxy|my-?proxy|your-?company|proxyserver|proxy-?host)\b|^(?:proxy|host|squid|cache)\.[\w-]+\.(?:com|org|net|local)$/i.test(
          host,
        )
        ? []
        : [spanOf(match)]
    },
  ),
  warned(
    'new_trust',
    'schtasks¦new-scheduledtask¦register-scheduledtask¦currentversion\run¦currentversion\\run¦systemctl --user enable¦systemctl --user start¦launchctl¦-currentversion¦at now¦sc create¦sc.exe create¦new-service¦loginhook¦wmi¦__eventfilter¦netsh interface portproxy¦winlogon¦image file execution¦systemd-run¦@reboot¦crontab ¦loginctl enable-linger¦osascript -e',
    /(?:schtasks(?:\.exe)?\s{1,2}\/create|(?:new|register)-scheduledtask\b|currentversion\\{1,2}run(?:once)?\b|systemctl --user (?:enable|start)\s(?:--now\s)?(?!--now|podman|docker|pipewire|wireplumber|pulse|syncthing|gpg-agent|ssh-agent|emacs|dbus|xdg|gnome|plasma|mpd|dunst|redshift|kanshi|swayidle|gamemoded|clamav|rclone@|podman-auto)[\w@.-]{1,60}|launchctl (?:load|bootstrap|submit|enable)\s[^\n]{0,80}|sc(?:\.exe)? create\s|new-service\s|loginhook|__eventfilter|portproxy add|image file execution options|winlogon[^\n]{0,40}(?:shell|userinit)|systemd-run[^\n]{0,60}--on-|@reboot\s|crontab\s{1,2}(?:-u \w{1,20} )?(?:\/tmp|[\w./~-]{1,60}(?:cron|\.txt)\b|<)|osascript -e[^\n]{0,60}login item)/iy,
    (match, text) =>
      /^(?:schtasks|launchctl)/i.test(match[0]) &&
      /\/(?:query|delete)|homebrew|com\.apple/i.test(text.slice(match.index, match.index + 120))
        ? []
        : [spanOf(match)],
  ),
  warned(
    'new_trust',
    'keytool¦trust anchor¦certutil¦add-appxpackage¦gpg --recv¦ssh-add¦gpgcheck=0¦git config¦credential.helper¦url.¦insteadof¦ssl_ca¦node_extra_ca¦safe.directory',
    /(?:keytool\s[^\n]{0,40}-import[^\n]{0,120}-(?:cacerts|trustcacerts)[^\n]{0,60}-noprompt|trust anchor\s|certutil\s{1,2}-A\s[^\n]{0,40}-t|git config\s[^\n]{0,30}(?:core\.(?:sshcommand|pager|editor|fsmonitor|gitproxy|askpass)|credential\.helper|alias\.\w{1,20})[ =]["']?(?:!|\/tmp|[^\n]{0,40}(?:curl|wget|nc |sh -c|bash -c|https?:))|git config\s[^\n]{0,30}url\.[^\n]{1,100}\.insteadof|node_extra_ca_certs=["']?(?:\/tmp|https?:))/iy,
    (match, text) =>
      /insteadof/i.test(match[0]) &&
      /url\.["']?(?:https:\/\/(?:[\w$@:{}-]+@)?(?:github|gitlab|bitbucket)\.|git@(?:github|gitlab|bitbucket)|ssh:\/\/git@(?:github|gitlab|bitbucket))/i.test(
        text.slice(match.index, match.index + 160),
      )
        ? []
        : [spanOf(match)],
  ),
  warned(
    'weakened_check',
    'chmod¦setcap¦passwordless¦permitrootlogin¦permitemptypasswords¦passwd -d¦iptables -f¦iptables -p¦nft flush¦pfctl -d¦firewalld¦apparmor¦aa-teardown¦aa-disable¦aa-complain¦selinux=¦auditd¦auditctl -e¦set-mppreference¦add-mppreference¦disablerealtime¦disableantispyware¦windefend¦set-netfirewallprofile¦advfirewall¦csrutil¦spctl¦fdesetup disable¦histfile¦history -c¦.bash_history¦wevtutil¦clear-eventlog¦randomize_va_space¦ptrace_scope¦ufw reset¦mokutil¦bcdedit¦enablelua¦amsi¦falcon-sensor¦rkhunter¦crowdstrike¦sentinel¦fail2ban¦!authenticate¦allowallusers',
    /(?:chmod\s{1,2}(?:-\w{1,3}\s{1,2})?(?:[ugoa]{0,3}\+\w{0,2}s\w{0,2}|[2467]7\d\d|[46]\d{3})\s|chmod\s{1,2}(?:-\w{1,3}\s{1,2})?(?:[oa]\+\w{0,2}w|0?666|0?777)\s{1,2}(?:\/etc|\/dev|\/var\/run|\/run|~\/\.ssh|\/boot|\/usr|\/bin|\/root|\/home)|setcap\s[^\n]{0,40}cap_(?:setuid|sys_admin|dac|sys_ptrace|all)|setcap all|permitrootlogin\s{1,2}["']?yes|permitemptypasswords\s{1,2}yes|passwd -d\s|iptables\s{1,2}-F\b|iptables\s{1,2}-P\s{1,2}\w{1,10}\s{1,2}ACCEPT|nft flush ruleset|pfctl -d\b|(?<=(?:systemctl|service|rc-service|sc|sc\.exe|net)\s[^\n]{0,40})(?:firewalld|apparmor|auditd|falcon-sensor|windefend|fail2ban|crowdstrike\w{0,10}|sentinel\w{0,10}|rkhunter)\b(?=[^\n]{0,20}(?:$|\n|stop|disable|;|&|`|"))|(?<=(?:stop|disable|mask|--now)\s[^\n]{0,40})(?:firewalld|apparmor|auditd|falcon-sensor|windefend|fail2ban)|aa-(?:teardown|disable)|selinux=(?:disabled|permissive|0)|auditctl -e ?0|set-mppreference\s[^\n]{0,60}-disable|add-mppreference\s[^\n]{0,30}-exclusion|disablerealtimemonitoring|disableantispyware|set-netfirewallprofile[^\n]{0,60}-enabled\s{1,2}(?:false|\$false|0)|advfirewall[^\n]{0,60}state off|csrutil disable|spctl --(?:master|global)-disable|fdesetup disable|(?:unset|export)?\s?histfile=?\s?(?:\/dev\/null)?(?=[\s;&]|$)|history -c\b|(?<=(?:rm|shred|ln|>|truncate)[^\n]{0,40})\.bash_history|wevtutil(?:\.exe)? (?:cl|clear)|clear-eventlog|randomize_va_space\s?=\s?0|ptrace_scope\s?=\s?0|mokutil --disable|enablelua[^\n]{0,40}\b0\b|amsi(?:utils|initfailed|scanbuffer)|!authenticate)/iy,
    (match, text) =>
      /^chmod/i.test(match[0]) &&
      /^chmod\s+(?:-\w+\s+)?(?:1777|2775|2770|g\+\w*s)/i.test(text.slice(match.index, match.index + 30))
        ? []
        : [spanOf(match)],
  ),
  warned(
    'weakened_check',
    'pythonhttpsverify¦sslverify¦-skipcertificatecheck¦--disable-web-security¦verify_peer¦verifypeer¦danger_accept_invalid¦allow_all_hostname¦noophostnameverifier¦trustallcert¦trust_all¦gonosumdb¦gosumdb¦goinsecure¦gonosumcheck¦goflags=-insecure¦goproxy=¦docker_content_trust=0¦userknownhostsfile¦insecure-registr¦tls_verify¦--insecure-skip¦skip_tls_verify¦insecure-skip-tls¦verify_none¦--no-verify-ssl¦allowinsecure¦checkhostip¦skipverify¦--tls-verify=false¦servercertificatecustomvalidation¦--ignore-certificate-errors¦certificate_verify_failed¦audit-level¦ssl_no_verify',
    /(?:pythonhttpsverify ?= ?["']?0|sslverify ?= ?(?:0|false)|-skipcertificatecheck|--disable-web-security|verify_peer(?:_name)?["']?\s{0,2}(?:=>|=|:)\s{0,2}(?:false|0)|verifypeer\s{0,2}[,=]\s{0,2}(?:false|0)|danger_accept_invalid_\w{4,12}\(true|allow_all_hostname|noophostnameverifier|trustallcert\w{0,10}|gosumdb=["']?off|gonosumdb=["']?\*|goinsecure=["']?\*|gonosumcheck=|goflags=-insecure|docker_content_trust=0|userknownhostsfile[ =]\/dev\/null|tls_?verify["']?\s{0,2}[:=]\s{0,2}(?:false|0|no)|--insecure-skip-\w{3,12}(?:-verify)?|skip_tls_verify["']?\s{0,2}[:=]\s{0,2}true|insecure-skip-tls-verify|verify_none|--no-verify-ssl|--tls-verify=false|servercertificatecustomvalidationcallback[^\n]{0,80}(?:true|dangerousaccept)|--ignore-certificate-errors)/iy,
  ),
  warned(
    'new_trust',
    'mcp add¦"mcpservers"¦mcp_servers',
    /"?mcp_?servers"?[\]\s:.{"\w-]{0,60}[^\n]{0,20}(?:\n[^\n]{0,80}){0,3}?(?:"?command"?\s?[:=]\s?"(?:bash|sh|curl|node -e|python -c)"|https?:\/\/(?!localhost|127\.)[^"\s]{3,120})/iy,
    (match, _, isAllowedHost) =>
      /command/i.test(match[0]) || !goesToAllowed(match[0], isAllowedHost) ? [spanOf(match)] : [],
  ),
  warned(
    'new_trust',
    'docker.sock¦containerd.sock¦crio.sock¦podman.sock',
    /(?<=(?:curl|nc|socat|wget)\s[^\n]{0,60}(?:unix-socket|unix-connect:|-U)[ :=]?\s{0,2}[\w/]{0,40}\/(?<!\w))(?:docker|containerd|crio|podman)\.sock(?=[^\n]{0,120}(?:-X ?(?:POST|PUT|DELETE)|-d\b|--data|\/create|\/start|\/exec|fork|exec))/iy,
  ),
]

export const TRUST_TRIGGERS: readonly Trigger[] = [
  ...WEAKENED,
  ...NEW_TRUST,
  ...CONTAINERS,
  ...PERMISSIONS,
  ...PRELOADS,
  ...SYSTEM,
]
