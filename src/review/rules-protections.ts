import { downloadsFromAllowed, goesToAllowed, hostOf, runsFromAllowed } from './known-software.ts'
import {
  aroundTrigger,
  type DangerMatch,
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

const unlessAllowed = (
  match: RegExpExecArray,
  _: string,
  isAllowedHost: IsAllowedHost,
): readonly DangerMatch[] => (goesToAllowed(match[0], isAllowedHost) ? [] : [spanOf(match)])

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

/** Infrastructure programs whose own manuals require full access to the machine. */
const INFRASTRUCTURE =
  /(?:docker:(?:\d|dind|latest)|\bdind\b|rancher\/|kindest|minikube|k3s|k3d|binfmt|qemu-user-static|portainer|traefik|watchtower|gitlab-runner|cadvisor|node-exporter|node_exporter|datadog\/agent|testcontainers|ryuk|jenkins\/|drone|act_runner|nginx-proxy|docker-socket-proxy|dozzle|autoheal|home-?assistant|dockge|lazydocker|ctop|buildkit|buildx|calico|cilium|falco|promtail|fluent|filebeat|vector|netdata|telegraf)/i
const MOUNT = '(?:-v|--volume|--mount)[ =]["\']?(?:type=bind,)?(?:source=|src=)?'

/** Options that remove the isolation of a container. */
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

/** Returns true if a permission list allows every command. Lists of hosts and methods do not count. */
const allowsEverything = (part: string): boolean =>
  ALLOWS.test(part) &&
  EVERY_COMMAND.test(part) &&
  /bash|shell|tool|mcp|permission/i.test(part) &&
  !/allow(?:ed)?[-_]?(?:origin|host|header|method)|https?:/i.test(part)

/** Options that let an agent execute commands without asking. */
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

/** A variable is dangerous if it loads a file of its own or executes a command. */
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

/** Commands that let others in: tunnels to a shell, rights of an owner, open ports and storage. */
const OPENED: Trigger[] = [
  warned(
    'new_trust',
    'ngrok tcp¦ssh://localhost¦ssh -¦tmate¦gs-netcat¦gsocket¦http.server¦iam attach¦iam put-¦iam create-¦iam-policy-binding¦role assignment¦security-group-ingress¦firewall-rules create¦put-bucket-acl¦public-access-block¦--visibility¦npm owner¦gem owner¦cargo owner¦deploy-key add¦/collaborators/¦grant all',
    /(?:ngrok tcp (?:22|3389|5900)\b|(?<=cloudflared [^\n]{0,60})ssh:\/\/localhost|ssh -\w{0,4}R [\w.:]{0,40}:22\b|tmate -\w|gs-netcat|gsocket\.io|http\.server[^\n]{0,40}(?:--directory|-d) (?:~|\/|\$HOME)\/?(?=[\s"'`]|$)|iam (?:attach|put)-[^\n]{0,120}(?:AdministratorAccess|"Action": ?"\*")|iam create-(?:login-profile|access-key)[^\n]{0,40}\b(?:admin|root)\b|iam-policy-binding[^\n]{0,160}roles\/(?:owner|editor|iam\.)|role assignment[^\n]{0,160}\b(?:Owner|User Access Administrator)\b|security-group-ingress[^\n]{0,120}(?:(?:--port|from-?port)[= ](?:22|3389|-1|0|all|0-65535)\b|protocol[= ](?:-1|all))[^\n]{0,80}0\.0\.0\.0\/0|firewall-rules create[^\n]{0,120}(?:tcp:22|all|tcp:3389)\b[^\n]{0,80}0\.0\.0\.0\/0|put-bucket-acl[^\n]{0,80}public|delete-public-access-block|--visibility[= ]public|(?:npm|gem|cargo) owner (?:add|-a|--add)|deploy-key add[^\n]{0,60}(?:-w\b|--allow-write)|\/collaborators\/[^\n]{0,60}permission=(?:admin|maintain)|grant all[^\n]{0,60}to ["'`]?\w{1,30}["'`]?@["'`]?%)/iy,
  ),
  warned(
    'weakened_check',
    'gh pr merge¦gh workflow disable¦auditctl¦journalctl¦/protection¦crontab -r',
    /(?:gh pr merge[^\n]{0,60}--admin\b|gh workflow disable|auditctl -D\b|journalctl --vacuum-(?:time=[01]s|size=[01]\b)|(?<=DELETE[^\n]{0,80}|gh api[^\n]{0,80})\/protection(?=[^\n]{0,40}(?:DELETE|$|\s|["'`]))|(?<!s)crontab -r\b)/iy,
    (match, text) =>
      match[0].endsWith('/protection') &&
      !/DELETE/.test(text.slice(Math.max(0, match.index - 120), match.index + 60))
        ? []
        : [spanOf(match)],
  ),
]

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
  ...OPENED,
  ...SYSTEM,
]

const SECRET_FILES =
  '(?:(?<![\\w.*-])\\.env(?:\\.(?:local|prod\\w*|dev\\w*|staging))?(?![\\w.-])|[._]netrc|\\.npmrc|\\.pypirc|\\.yarnrc|\\.aws\\b|\\.ssh\\b(?!/(?:config|known_hosts)\\b)|id_(?:rsa|ed25519|ecdsa|dsa)(?!\\.pub|\\w)|[\\w.-]{1,30}\\.(?:pem|ppk|p12|pfx|keystore|jks|kdbx)\\b|\\.kube\\b|kubeconfig|\\.docker\\b|docker/config\\.json|(?:~|\\$HOME)/\\.config/?(?=[\\s"\']|$)|\\.config/(?:gh|gcloud|hub|op|rclone|solana|google-chrome|chromium|BraveSoftware)\\b|application_default_credentials|access_tokens\\.db|credentials\\.db|\\.azure\\b|accesstokens|\\.gnupg|\\.git-credentials|\\.vault-token|\\.terraform\\.d|credentials\\.tfrc|terraform\\.tfstate|\\.pgpass|\\.my\\.cnf|\\.boto\\b|\\.s3cfg|rclone\\.conf|\\.password-store|\\.mozilla|\\.thunderbird|login\\.keychain|library/keychains|login ?data\\b|logins\\.json|key[34]\\.db|cookies\\.sqlite|network/cookies|user data[\\\\/]{1,2}default|local state\\b|wallet(?:\\.dat|\\.json|s?\\b)|\\.ethereum|\\.bitcoin|\\.electrum|exodus|\\.config/solana|(?:\\.\\w{2,6}|\\b)_history\\b|consolehost_history|/etc/(?:shadow|passwd|sudoers|kubernetes/admin)|/proc/(?:self|\\d+|\\*|1)/environ|serviceaccount/token|/run/secrets|/var/run/secrets|\\.cargo/credentials|\\.gem/credentials|\\.m2/settings|gradle\\.properties|auth\\.json|nuget\\.config|master\\.key|credentials(?:\\.json|\\.xml|\\.ya?ml|\\.toml|\\b(?=[\\s"\'`)|]))|secrets?\\.(?:ya?ml|json|toml|env)|\\.(?:claude|codex|gemini|cursor)/[\\w./-]{0,30}(?:\\.json|credentials)|\\.config/(?:github-copilot|anthropic|openai)|ntds\\.dit|lsass|hklm\\\\(?:sam|security)|\\.dbeaver|sitemanager\\.xml|\\.subversion|\\.ovpn\\b|wpa_supplicant)'
const SECRET_COMMANDS =
  '(?:(?<![\\w-])(?:printenv|env)\\b(?=\\s{0,3}(?:\\||>|\\)|`|$|&))|(?:declare|export|set) -[px]\\b|security (?:find-(?:generic|internet)-password|dump-keychain)|secret-tool (?:lookup|search)|gh auth (?:token|status --show-token)|gcloud auth [\\w-]{0,30}print-access-token|az account get-access-token|aws configure export-credentials|aws sts get-session-token|npm token|op (?:read|item get)|pass show|kubectl (?:get secrets?|config view --raw)|docker inspect|vault (?:kv get|token)|git credential fill|cmdkey|vaultcmd|netsh wlan show profile|get-childitem env:|gci env:|(?:dir|ls) env:|\\[environment\\]::getenvironmentvariables|process\\.env(?![.\\[\\w])|os\\.environ(?![.\\[\\w])|dict\\(os\\.environ|env\\.to_h|system\\.getenv\\(\\)|history\\b(?=\\s{0,3}\\|))'
const SECRET = `(?:${SECRET_FILES}|${SECRET_COMMANDS})`
const SECRET_KEYWORDS =
  '.env¦netrc¦.npmrc¦.pypirc¦.yarnrc¦.aws¦.ssh¦id_rsa¦id_ed25519¦id_ecdsa¦id_dsa¦.pem¦.ppk¦.p12¦.pfx¦.keystore¦.jks¦.kdbx¦.kube¦kubeconfig¦.docker¦docker/config.json¦.config/¦application_default_cred¦access_tokens.db¦.azure¦accesstokens¦.gnupg¦.git-credentials¦.vault-token¦.terraform.d¦credentials.tfrc¦terraform.tfstate¦.pgpass¦.my.cnf¦.boto¦.s3cfg¦rclone.conf¦.password-store¦.mozilla¦.thunderbird¦keychain¦login data¦logindata¦logins.json¦key4.db¦key3.db¦cookies.sqlite¦network/cookies¦user data¦local state¦wallet¦.ethereum¦.bitcoin¦.electrum¦exodus¦_history¦/etc/shadow¦/etc/passwd¦/etc/sudoers¦/etc/kubernetes¦/environ¦serviceaccount/token¦run/secrets¦/credentials¦credentials.¦.m2/settings¦gradle.properties¦auth.json¦nuget.config¦master.key¦secrets.¦secret.json¦.claude/¦.codex/¦.gemini/¦.cursor/¦ntds.dit¦lsass¦hklm\\s¦hklm\\\\s¦sitemanager.xml¦.ovpn¦wpa_supplicant¦printenv¦env |¦env|¦$(env)¦`env`¦env >¦env & ¦declare -¦export -p¦find-generic-password¦find-internet-password¦dump-keychain¦secret-tool¦gh auth¦print-access-token¦get-access-token¦export-credentials¦get-session-token¦npm token¦op read¦op item¦pass show¦kubectl get secret¦config view --raw¦vault kv¦vault token¦credential fill¦cmdkey¦vaultcmd¦wlan show profile¦ env:¦getenvironmentvariables¦process.env¦os.environ¦env.to_h¦system.getenv()¦history |'

/** Excludes options by which a program uses a secret itself, ignore lists, and reads of a key's name only. */
const USED = new RegExp(
  `(?:(?:(?<![\\w-])-i|-e ["']?ssh -i|--?identity(?:-file)?|identityfile|--(?:env|netrc|key|cert|cacert|secret|password|config|kubeconfig|credential|credentials|userconfig|private-key|ssl-key|ssl-cert|ssl-ca|from-env|account-key|service-account-key)[\\w-]{0,12}|--key-file|-key|-cert|-K|-C|--kubeconfig|kubeconfig|credentials|GIT_SSH_COMMAND|SSL_CERT_FILE)[ =]{1,2}["']?|(?:^|[\\s;&(])(?:source|\\.|chmod [\\w+]{2,5}|mkdir(?: -p)?|touch|chown [\\w:]{1,20}|ls(?: -\\w{1,5})?|cd|vi|vim|nano|code|export \\w{1,30}=)\\s{1,2}["']?)[\\w~/$.{}\\\\:-]{0,60}?${SECRET_FILES}[^\\s"'\`]{0,80}`,
  'gi',
)

const SENDERS =
  '(?:\\|\\s{0,3}(?:sudo )?(?:curl|wget|http|nc|ncat|netcat|socat|telnet|ssh|mail|mailx|mutt|sendmail|msmtp|openssl s_client|gh|glab|aws|gsutil|rclone|nslookup|dig|host|tee /dev/tcp|xargs [^\\n|]{0,60}(?:curl|wget|nc|dig|nslookup|ping|host))\\b|(?<![\\w-])(?:rsync|scp|sftp|lftp|ftp|tftp|ncftpput|rcp|pscp|psftp|croc|wormhole|magic-wormhole|ffsend|transfer|azcopy|s3cmd|s4cmd|s5cmd|b2|rclone|restic|gsutil|termbin|pastebinit|wgetpaste|kubectl cp|docker cp)\\s|aws s3(?:api)? (?:cp|mv|sync|put-object)|gcloud (?:alpha )?storage (?:cp|mv|rsync)|az storage (?:blob|file|fs)|(?:mc|oci|doctl|ossutil|coscli|wrangler r2|swift)\\s[\\w ]{0,20}(?:cp|put|mv|mirror|upload|sync)\\b|gh (?:gist|issue|pr|api|release|repo)|glab (?:snippet|issue|mr|api)|uploadstring|uploadfile|uploaddata|uploadvalues|send-mailmessage|start-bitstransfer|bitsadmin|net\\.mail|smtp(?:lib|client)|swaks|mailx?\\s+-|mutt\\s|sendmail\\s|/dev/(?:tcp|udp)/|requests\\.(?:post|put|patch|request|get)\\(|httpx\\.\\w{3,6}\\(|aiohttp|urlopen\\(|urlretrieve\\(|http\\.client|(?<![\\w.])fetch\\(|axios[.(]|https?\\.(?:request|post|get)\\(|net\\.(?:connect|createconnection|socket)|net::http|xmlhttprequest|sendbeacon|ftplib|paramiko|socket\\.(?:socket|create_connection)|\\.sendall\\(|http\\.post|httppost|file_get_contents\\(["\']http|nslookup\\s|(?<![\\w-])dig\\s|resolve-dnsname|(?<![\\w-])host \\$|getaddrinfo|gethostbyname|hooks\\.slack|discord(?:app)?\\.com/api/webhooks|api\\.telegram|webhook\\.site|requestbin|pastebin|paste\\.rs|0x0\\.st|transfer\\.sh|ix\\.io|termbin|ngrok|trycloudflare|\\bgist\\b)'
const SENDS = new RegExp(SENDERS, 'i')
const SENDS_WITH: readonly (readonly [program: RegExp, options: RegExp])[] = [
  [
    /(?<![\w-])(?:curl|wget|https?|xh)(?:\.exe)?\s/i,
    /\s-[a-zA-Z]{0,4}[dFT]\b|--(?:data|form|upload|post|json|body)|\s-X ?(?:POST|PUT)|=@|<|\$\(|`|\$\w/,
  ],
  [/(?<![\w-])(?:nc|ncat|netcat|socat|telnet|openssl s_client)\s/i, /<|\||file:|exec:|open:/i],
  [/(?<![\w-])(?:invoke-webrequest|invoke-restmethod|iwr|irm)\s/i, /-(?:body|infile|method|form)\b/i],
]

function isBehind(text: string, first: RegExp, then: RegExp): boolean {
  const match = first.exec(text)
  return match !== null && then.test(text.slice(match.index + match[0].length - 1))
}
const sends = (command: string): boolean =>
  SENDS.test(command) || SENDS_WITH.some(([program, options]) => isBehind(command, program, options))
const CARRIES_KEY = /(?:ssh-copy-id|authorized_keys|\.pub\b)/i

const hasSecret = new RegExp(SECRET, 'i')
/** Splits a line into commands: a secret that one reads may not be what another sends. */
const COMMAND_END = /;(?!\w*\()|&&|\|\||(?<!\\)\n/g

const sendsSecret = (part: string): boolean => {
  const plain = part.replaceAll(USED, ' ')
  return plain
    .replaceAll(COMMAND_END, '\n')
    .split('\n')
    .some((command) => hasSecret.test(command) && sends(command) && !CARRIES_KEY.test(command))
}

/** Local hosts are judged by the rule for downloads. */
const LOCAL = /https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|10\.\d|192\.168\.)/i

/** Programs that pack, copy or read a secret which a later command sends. */
const PACKERS =
  /(?<![\w-])(?:tar|zip|7z|gzip|base64|openssl (?:enc|base64)|xxd|cp|cat|gpg|rar|dd|copy-item|compress-archive|type|get-content|gc|makecab|copy|xcopy|robocopy|reg save|sqlite3|strings)\s|(?:open|readfile(?:sync)?|read_text|readalltext|read_to_string|file_get_contents|path|readall|slurp|file\.read|shutil\.\w{3,12}|copyfile(?:sync)?)\(|=\s{0,2}["'`$(]/i
const STRONG_SENDERS =
  /(?<![\w-])(?:nc|ncat|netcat|socat|scp|rsync|sftp|lftp|ftp)\s|aws s3 (?:cp|mv|sync)|gsutil cp|rclone (?:copy|sync|move)|gh (?:gist|issue)|requests\.(?:post|put)\(|urlopen\(|(?<![\w.])fetch\(\s{0,2}["'`]http|axios\.(?:post|put)|https?\.request\(|net\.connect|net::http|uploadstring|uploadfile|uploaddata|send-mailmessage|smtplib|ftplib|\.sendall\(|sendbeacon|nslookup\s|(?<![\w-])dig\s|httpx\.post|http\.post\(/i
const UPLOADS =
  /\s-[a-zA-Z]{0,4}[dFT]\b|--(?:data|form|upload|post)|=@|\s-X ?(?:POST|PUT)|-(?:body|infile|method)\b/i
const UPLOADERS = /(?<![\w-])(?:curl|wget|invoke-webrequest|invoke-restmethod|iwr|irm)\s/i

function packsAndSends(part: string): boolean {
  const plain = part.replaceAll(USED, ' ')
  const packs = PACKERS.exec(plain)
  if (packs === null || LOCAL.test(plain)) return false
  const behind = plain.slice(packs.index + packs[0].length)
  const secret = hasSecret.exec(behind)
  if (secret === null || secret.index > PACKED_NEAR) return false
  const rest = plain.slice(packs.index)
  return STRONG_SENDERS.test(rest) || isBehind(rest, UPLOADERS, UPLOADS)
}
const PACKED_NEAR = 120

const SHARES =
  /(?<!(?:never|not|n't|without|avoid|no need to) )(?<!\w)(?:paste|attach|post|include|insert|upload|send|share|submit|copy|put|append|add|write|embed|quote|forward|drop|e-?mail|publish|enter)\b/i
const DESTINATIONS =
  /\b(?:to|into|in|on|as|with|at|via|for) (?:the |a |an |your |its |this |any |our |new |next |my )?(?:new |next |public |first |own |second |follow-up |support |pull |github |error |bug )?(?:cards?|issues?|comments?|gists?|tickets?|chats?|forum|pastebin|paste|webhook|reply|replies|e-?mail|mail|description|summary|report|pull request|pr|commit message|channel|support|vault|evidence|feedback|verdict|endpoint|server|url|query|body of|field|title|symptom|answer|response|message|thread|wiki|form)\b/i
const NEGATED =
  /\b(?:never|do not|don't|must not|should not|shouldn't|avoid|without|instead of|rather than|accidentally|leak)\b/i

const sharesSecret = (part: string): boolean =>
  SHARES.test(part) &&
  DESTINATIONS.test(part) &&
  hasSecret.test(part) &&
  !NEGATED.test(part) &&
  /\b(?:cat|type|output|contents?|run|result|dump|whole|full|value|file|copy)\b/i.test(part)

const AGENT_FILES =
  '(?:claude(?:\\.local)?\\.md|agents\\.md|gemini\\.md|soul\\.md|memory\\.md|\\.cursorrules|\\.cursor/|\\.windsurf|\\.clinerules|\\.roo(?:rules|/)|copilot-instructions|\\.github/instructions|\\.claude(?:/|\\.json)|\\.codex/|\\.gemini/|\\.aider|\\.continue/|opencode\\.json|\\.opencode|\\.?mcp(?:_config|_settings)?\\.json|claude_desktop_config|settings\\.local\\.json|\\.kvault\\.json|\\.junie|conventions\\.md|\\.goosehints|\\.amazonq)'
const AGENT_KEYWORDS =
  'claude.md¦claude.local.md¦agents.md¦gemini.md¦soul.md¦memory.md¦.cursorrules¦.cursor/¦.windsurf¦.clinerules¦.roo¦copilot-instructions¦.github/instructions¦.claude/¦.claude.json¦.codex/¦.gemini/¦.aider¦.continue/¦opencode.json¦.opencode¦mcp.json¦mcp_config¦mcp_settings¦claude_desktop_config¦settings.local.json¦.kvault.json¦.junie¦.goosehints¦.amazonq'
const WRITTEN = new RegExp(
  `(?:>{1,2}\\s?|\\btee (?:-a )?|\\b(?:out-file|add-content|set-content|ac|sc)\\b[^\\n]{0,60}|\\b(?:cp|mv|ln|install|copy|move)\\s[^\\n]{0,80}\\s|-o ?|-O ?|--output[= ]|-outfile |\\b(?:sed -i|perl -pi)[^\\n]{0,120}|\\bjq\\b[^\\n]{0,80}=[^\\n]{0,60}|(?:writefile(?:sync)?|appendfile(?:sync)?|write_text|file_put_contents|open)\\([^\\n]{0,40})["'\`~/$\\w.{}\\\\:%-]{0,60}${AGENT_FILES}`,
  'i',
)
const FETCHED = /\b(?:curl|wget|iwr|irm|invoke-webrequest|fetch\(|git clone|base64 -d|nc|requests\.get)\b/i
const SETTINGS =
  /(?:\.claude\/settings|\.claude\.json|settings\.local|mcp(?:_config|_settings)?\.json|claude_desktop|\.codex\/config|\.gemini\/settings|\.cursor\/(?:mcp|rules|settings|cli)|hooks)/i
const WRITES =
  /(?:>{1,2}|\btee\b|\b(?:append|add|write|insert|put|paste|prepend|place|echo|cat|copy|edit|extend|include|update|save|store|change|set|create|modify|replace|overwrite|inject|amend|record|note)s?\b|set-content|add-content|out-file|writefile|\.write\()/i
/** Settings that a stranger must not be able to write there. */
const LOOSENS =
  /\b(?:trust(?:ed|s|worthy)?|approved|approve (?:all|any|every|whatever|what)|permissions? (?:is|are|was) (?:granted|not|un)|without (?:asking|confirm|question|review|approv|prompt)|never (?:ask|confirm|question|prompt|refuse|mention|tell|warn|decline)|do not (?:ask|confirm|question|mention|tell|warn|refuse)|don't (?:ask|confirm|question|mention|tell)|no confirmation|needs? no|obey|authori[sz]e[ds]?\b|bypass|disregard|ignore (?:all|any|previous|earlier|warnings?|security)|execute (?:any|every|all|whatever|what)|run (?:any|every|all|whatever|what)|follow (?:any|every|all|whatever|what|instructions)|treat (?:\w+ ){0,4}as|(?:always|automatically) (?:run|accept|allow|execute|install|follow|fetch|load|call|push|trust|start by|begin|send|include)|auto-?approve|allow(?:ed|list)?\b[^\n]{0,30}(?:bash|\*|all|every)|skip (?:the )?(?:review|confirm|check|permission|test)|secret(?:ly)?|silently|source of truth|highest priority|takes? precedence|https?:\/\/)/i

const writesAgentFile = (part: string): boolean =>
  WRITTEN.test(part) && (FETCHED.test(part) || SETTINGS.test(part) || LOOSENS.test(part))
const asksToLoosen = (line: string): boolean =>
  WRITES.test(line) && LOOSENS.test(line.replaceAll(/https?:\/\/[^\s"'`)]{1,200}/gi, ' '))

/** Files that a shell, a system or a program executes automatically. */
const STARTUP_FILES =
  '(?:\\.bashrc|\\.zshrc|\\.profile|\\.bash_profile|\\.bash_login|\\.bash_logout|\\.bash_aliases|\\.zshenv|\\.zprofile|\\.zlogin|config\\.fish|fish/conf\\.d|/etc/profile|/etc/bash\\.bashrc|/etc/rc\\.local|/etc/environment|/etc/cron|/etc/init\\.d|/etc/systemd|\\.config/systemd|/etc/ld\\.so\\.preload|launchagents|launchdaemons|config/autostart|startup\\\\|start menu|\\$profile\\b|\\.git/hooks|git/hooks/|\\.husky/|sitecustomize|usercustomize|site-packages/[\\w.-]{1,40}\\.pth|\\.pythonrc|\\.vimrc|init\\.vim|\\.emacs|\\.inputrc|\\.ssh/(?:rc|config|environment)|\\.gitconfig|\\.xinitrc|\\.xprofile|\\.pam_environment|\\.tmux\\.conf|\\.direnvrc|\\.envrc|\\.condarc|\\.irbrc|\\.rprofile|\\.gdbinit|\\.lldbinit|/etc/udev/rules|/etc/apt/apt\\.conf|\\.vscode/(?:tasks|settings)\\.json|authorized_keys)'
const STARTUP_KEYWORDS =
  '.bashrc¦.zshrc¦.profile¦.bash_profile¦.bash_login¦.bash_logout¦.bash_aliases¦.zshenv¦.zprofile¦.zlogin¦config.fish¦fish/conf.d¦/etc/profile¦/etc/bash.bashrc¦/etc/rc.local¦/etc/environment¦/etc/cron¦/etc/init.d¦/etc/systemd¦.config/systemd¦ld.so.preload¦launchagents¦launchdaemons¦config/autostart¦startup\\¦start menu¦$profile¦git/hooks¦.husky/¦sitecustomize¦usercustomize¦.pth¦.pythonrc¦.vimrc¦init.vim¦.emacs¦.inputrc¦.ssh/rc¦.ssh/config¦.ssh/environment¦.gitconfig¦.xinitrc¦.xprofile¦.pam_environment¦.tmux.conf¦.direnvrc¦.envrc¦.condarc¦.irbrc¦.rprofile¦.gdbinit¦.lldbinit¦/etc/udev/rules¦apt.conf¦.vscode/tasks'
const WRITES_STARTUP = new RegExp(
  `(?:>{1,2}\\s?|\\btee (?:-a )?|\\b(?:out-file|add-content|set-content)\\b[^\\n]{0,60}|\\b(?:cp|mv|ln|install|copy|move|copy-item)\\s[^\\n]{0,100}\\s|-o ?|-O ?|--output[= ]|-outfile |\\bsed -i[^\\n]{0,120}|(?:writefile(?:sync)?|appendfile(?:sync)?|write_text|file_put_contents|open)\\([^\\n]{0,60}|\\b(?:append|add|write|put|insert|paste|place|drop|prepend)\\b[^\\n]{0,120}\\b(?:to|into|in)\\b[^\\n]{0,20})["'\`~/$\\w.{}\\\\:% ()-]{0,60}${STARTUP_FILES}`,
  'i',
)
const ALIAS_OF_COMMAND =
  /(?:alias\s+(?:sudo|ssh|git|su|npm|pip|ls|cd|docker|kubectl|curl)\b|function (?:sudo|ssh|git|su|ls|cd)\b|\b(?:sudo|ssh|su|git) ?\(\) ?\{)/i
const STARTS =
  /(?:\b(?:curl|wget|nc|ncat|socat|base64|nohup|setsid|mkfifo)\b|\/tmp\/|\/dev\/(?:tcp|shm)|\/var\/tmp|bash -[ic]\b|sh -c|python3? -c|node -e|perl -e|ld_preload|prompt_command|trap ['"]|execstart|invoke-|iex\b|iwr\b|downloadstring|powershell|hidden|os\.system|subprocess|system\(|proxycommand|localcommand|permitlocalcommand|core\.(?:pager|editor|sshcommand|hookspath|fsmonitor)|@reboot|\* \* \* \*|\/\.[a-z][\w-]{0,20}(?:\.sh)?\b(?=\s{0,2}(?:&|["']|$))|(?:^|[\s"'])~?\/?\.(?:cache|local)\/[\w./-]{1,40} ?&)/i
/** Programs whose hooks are common in shell start-up files. */
const USUAL_STARTS =
  /eval "?\$\((?:[\w/.-]*\/)?(?:starship|direnv|zoxide|brew|pyenv|rbenv|nodenv|mise|fnm|thefuck|ssh-agent|fzf|atuin|rtx|asdf|jenv|goenv|conda|mcfly|navi|kubectl|gh|op|uv|uvx|pip|npm|pnpm|register-python-argcomplete|dircolors|thefuck)\b[^)\n]{0,80}\)"?/gi

const writesStartup = (part: string): boolean => {
  const plain = part.replaceAll(USUAL_STARTS, ' ')
  if (!WRITES_STARTUP.test(plain)) return false
  return (
    STARTS.test(plain) ||
    ALIAS_OF_COMMAND.test(plain) ||
    /(?:sitecustomize|usercustomize|ld\.so\.preload|\.ssh\/rc\b|\.git\/hooks|launch(?:agents|daemons)|config\/autostart|startup\\|\/etc\/cron|\.pth\b|\/etc\/systemd|\.config\/systemd)/i.test(
      plain,
    )
  )
}

const SOURCES =
  '(?:(?<![\\w-])(?:curl|wget|https?|xh|aria2c|axel|lynx|w3m|links|elinks|fetch|nc|ncat|netcat|socat|telnet|ftp|tftp|sftp|rsync)\\s|(?:iwr|irm|invoke-webrequest|invoke-restmethod)\\b|downloadstring|downloaddata|downloadfile|net\\.webclient|\\|\\s{0,2}xclip|pbpaste|xclip -o|get-clipboard|aws s3 cp s3:|gsutil cat|gcloud storage cat|gh (?:api|gist view)|git show |(?<![\\w-])dig [^\\n]{0,60}txt|resolve-dnsname|nslookup|openssl s_client|ssh [^\\n|]{1,80}\\bcat |docker run [^\\n|]{1,100} cat |urllib|urlopen|requests\\.get|http\\.get|https\\.get|(?<![\\w.])fetch\\(|open-uri|uri\\.open|lwp|file_get_contents\\(["\']http|socket|io\\.popen|axios\\.get|got\\()'
const DECODERS =
  '(?:base64\\s{1,2}(?:-\\w{0,3}[dD]|--decode)|base32 -d|b64decode|frombase64string|atob\\(|[\'"]base64[\'"]|unhexlify|fromhex|from_?hex|xxd -\\w{0,4}r|codecs\\.decode|rot_?13|tr [\'"]?a-z|\\\\x[0-9a-f]{2}\\\\x[0-9a-f]{2}|\\brev\\b|gunzip|zcat|zlib|decompress|unpack\\(|uudecode|openssl (?:enc|aes)[^\\n|]{0,40}-d|gpg (?:-d|--decrypt)|certutil -decode|strrev|base64_decode|gzinflate|str_rot13|string\\.fromcharcode|\\[char\\]|chr\\(\\d|-join|%[0-9a-f]{2}%[0-9a-f]{2}|unescape\\()'
const RUNNERS =
  '(?:\\|\\s{0,3}(?:sudo\\s{1,2}(?:-\\w{1,3}\\s{1,2}){0,2})?(?:nohup |exec |env |busybox |command |time )?(?:/\\w{3,5}/(?:\\w{3,5}/)?)?(?:(?:ba|z|da|k|fi|a|c|tc)?sh|pwsh|powershell|cmd|iex|python[\\d.]{0,4}|node|nodejs|deno(?: run)?|bun(?: run)?|ruby|perl|php|lua|luajit|tclsh|osascript|rscript|julia|groovy|jshell|at(?: now)?|batch|crontab|source|sqlite3|xargs (?:-\\S{1,8} ){0,3}(?:sh|bash|sudo|eval)|parallel|tee [^\\n|]{1,60}\\| ?(?:ba)?sh)(?![\\w.-])|(?<![\\w.-])(?:eval|source|exec|\\.)\\s{1,2}["\']?(?:\\$\\(|`|<\\()|(?<![\\w-])eval\\s{1,2}["\'$]|(?<![\\w-])(?:ba|z|da|k)?sh(?: -\\w{1,4}){0,2} ?(?:<\\(|<<<|["\']?\\$\\(|["\']?`)|(?:python[\\d.]{0,4}|node|perl|ruby|php|deno|bun)(?: -\\w{1,4}){0,2} ?(?:<\\(|<<<|["\']?\\$\\(|["\']?`|- ?<)|(?<![\\w.-])(?:eval|exec|execscript|instance_eval|class_eval|loadstring|load|dostring|function|compile|new function|create_function|assert|system|shell_exec|passthru|popen|runpy|execfile|importlib|vm\\.run\\w{0,20}|scriptblock\\]::create|assembly\\]::load|exec_module|run_string|setTimeout|import)\\s?\\(|(?<![\\w-])(?:iex|invoke-expression|invoke-command|start-process)\\b|os\\.system|subprocess|child_process|execsync|spawn(?:sync)?\\(|runtime\\.getruntime|do shell script|:!|! ?bash)'
const [BRINGS, DECODES, RUNS] = [
  new RegExp(SOURCES, 'i'),
  new RegExp(DECODERS, 'i'),
  new RegExp(RUNNERS, 'i'),
]
const READS_ONLY =
  /\|\s{0,3}(?:python[\d.]{0,4}|node|ruby|perl|php|deno)\s(?:-[\w:]{1,12}\s{1,2}){0,3}(?:-m\s{1,2}json\.tool|-\w{0,4}[cepnlaF]\w{0,3}\s)/i
const SHELL =
  /(?:\/bin\/(?:ba|z|da)?sh|cmd(?:\.exe)?\b|powershell|pty\.spawn|\bsh -i|bash -i|dup2|exec:|stdio|-e ["']?(?:\/bin\/)?(?:ba)?sh|\bsystem\()/i
const SOCKETS =
  /(?:\/dev\/(?:tcp|udp)\/|(?<![\w-])(?:nc|ncat|netcat|socat|telnet)\s|socket\.socket|tcpclient|use socket|rsocket|tcpsocket|fsockopen|net\.connect|net\.dial|openssl s_client|\bmkfifo\b)/i

const ADDRESS =
  /(?:https?|ftp|s3|gs):\/\/|(?<![\w@])(?:\d{1,3}\.){3}\d{1,3}|(?<![\w.-])(?:[\w-]{1,63}\.){1,6}[a-z]{2,24}[\s/:]/i

const runsFetched = (part: string, isAllowedHost: IsAllowedHost): boolean => {
  if (SOCKETS.test(part) && SHELL.test(part) && !/(?:-z|-zv|-vz)\b/.test(part)) return true
  if (LOCAL.test(part) || !RUNS.test(part) || READS_ONLY.test(part)) return false
  return BRINGS.test(part) && ADDRESS.test(part) && !runsFromAllowed(part, isAllowedHost)
}
const FETCHES_FILE = /(?<![\w-])(?:curl(?:\.exe)?|wget|iwr|invoke-webrequest|start-bitstransfer|aria2c)\s/i
const FILE_NAME =
  /[\w-][\w.-]{0,40}\.(?:sh|py|js|mjs|ps1|exe|bat|cmd|msi|pl|rb|run|bin|appimage|jar|vbs|pkg|dmg|deb|apk|php|lua|elf)\b|(?:\/tmp\/|%temp%\\|\$env:temp\\)[\w.-]{1,40}/gi
const NEXT_COMMAND = /&&?|;|\n/

function runsFetchedFile(part: string, isAllowedHost: IsAllowedHost): boolean {
  const fetches = FETCHES_FILE.exec(part)
  if (fetches === null) return false
  const rest = part.slice(fetches.index)
  const next = NEXT_COMMAND.exec(rest)
  if (next === null || LOCAL.test(rest)) return false
  const [command, later] = [rest.slice(0, next.index), rest.slice(next.index)]
  if (downloadsFromAllowed(command, isAllowedHost) || !ADDRESS.test(command)) return false
  const names = new Set(command.match(FILE_NAME)?.slice(0, 8))
  return [...names].some((name) => later.includes(name))
}
const runsDecoded = (part: string): boolean => DECODES.test(part) && RUNS.test(part) && !READS_ONLY.test(part)

const FETCH_KEYWORDS =
  'curl ¦wget ¦http ¦https ¦aria2c¦lynx¦nc ¦ncat ¦netcat ¦socat ¦telnet ¦ftp ¦iwr ¦irm ¦invoke-webrequest¦invoke-restmethod¦downloadstring¦downloaddata¦downloadfile¦net.webclient¦xclip -o¦pbpaste¦get-clipboard¦aws s3 cp s3:¦gsutil cat¦gcloud storage cat¦gh api¦gh gist¦git show ¦dig ¦resolve-dnsname¦nslookup¦s_client¦ssh ¦urllib¦urlopen¦requests.get¦http.get¦https.get¦fetch(¦open-uri¦uri.open¦lwp¦file_get_contents(¦socket¦tcpclient¦fsockopen¦mkfifo¦/dev/tcp¦/dev/udp¦axios.get¦net.dial'
const DECODE_KEYWORDS =
  'base64¦b64decode¦atob(¦base32 -d¦unhexlify¦fromhex¦from_hex¦xxd -¦codecs.decode¦rot13¦rot_13¦tr \'a-z¦tr a-z¦tr "a-z¦\\x¦ rev ¦ rev|¦gunzip¦zcat¦zlib¦decompress¦uudecode¦openssl enc¦openssl aes¦gpg -d¦gpg --decrypt¦certutil -decode¦strrev¦gzinflate¦fromcharcode¦[char]¦chr(¦unescape('

export const FLOW_TRIGGERS: readonly Trigger[] = [
  aroundTrigger('exfiltration', 'warn', SECRET_KEYWORDS, sendsSecret, { before: 260, behind: 220 }),
  aroundTrigger('exfiltration', 'warn', SECRET_KEYWORDS, packsAndSends, {
    before: 120,
    behind: 320,
    lines: true,
  }),
  aroundTrigger('exfiltration', 'warn', SECRET_KEYWORDS, sharesSecret, { before: 120, behind: 140 }),
  aroundTrigger('new_trust', 'warn', AGENT_KEYWORDS, writesAgentFile, {
    before: 200,
    behind: 240,
    lines: true,
  }),
  aroundTrigger('new_trust', 'warn', AGENT_KEYWORDS, asksToLoosen, { before: 110, behind: 130 }),
  aroundTrigger('new_trust', 'warn', STARTUP_KEYWORDS, writesStartup, { before: 240, behind: 200 }),
  aroundTrigger('remote_code', 'warn', FETCH_KEYWORDS, runsFetched, { before: 140, behind: 260 }),
  aroundTrigger(
    'remote_code',
    'warn',
    'curl¦wget¦iwr ¦invoke-webrequest¦start-bitstransfer¦aria2c',
    runsFetchedFile,
    { before: 0, behind: 300, lines: true },
  ),
  aroundTrigger('remote_code', 'warn', DECODE_KEYWORDS, runsDecoded, { before: 160, behind: 220 }),
]

const ROLES = new Set(
  'git user users username me you your yourname name root admin administrator info support help contact security sales team hello noreply no-reply donotreply do-not-reply postmaster webmaster abuse test tests foo bar baz someone somebody nobody example email mail dev devs ops bot ci build deploy ubuntu ec2-user service npm hg svn'.split(
    ' ',
  ),
)
const NOT_A_HOST =
  /(?:^|\.)example(?:\.\w{2,3})?$|\.(?:png|jpe?g|gif|svg|webp|js|ts|py|json|md|txt|html?|css|local|internal|test|invalid|lan|localhost|iam|noreply\.github\.com)$|(?:^|\.)(?:domain|company|host|server|mail|email|test|foo|bar|acme|mycompany|yourcompany|yourdomain|mydomain)\.(?:com|org|net|io)$|^(?:github|gitlab|bitbucket)\.(?:com|org)$|users\.noreply\.github\.com$|gserviceaccount\.com$/

const HOME_OF_NOBODY = new Set(
  'user users username you me name yourname your-name your_name myuser my-user someone somebody shared public default ubuntu debian ec2-user centos admin administrator root runner node app vscode coder gitpod jovyan pi vagrant docker jenkins git www www-data circleci travis builder build deploy dev developer test guest linuxbrew codespace airflow nonroot appuser webuser postgres home project projects workspace src data bin lib all%20users'.split(
    ' ',
  ),
)
const isSomebody = (name: string): boolean => !HOME_OF_NOBODY.has(name.toLowerCase())

export const PERSONAL_TRIGGERS: readonly Trigger[] = [
  trigger(
    'personal_data',
    'warn',
    '@',
    /(?<=(?:^|[^A-Za-z0-9._%+:/@=-])([A-Za-z0-9][A-Za-z0-9._%+-]{0,63}))@([A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,18})(?![\w@(/:-])/y,
    (match) => {
      const [written, local = '', host = ''] = match
      if (ROLES.has(local.toLowerCase()) || NOT_A_HOST.test(host.toLowerCase())) return []
      return [{ start: match.index - local.length, end: match.index + written.length }]
    },
  ),
  trigger(
    'personal_data',
    'warn',
    '+',
    /(?<![\w.+)\]=*/-])\+[1-9]\d{0,2}[ .-]?\(?\d{1,4}\)?(?:[ .-]?\d{2,4}){2,5}(?![\w.])/y,
    (match) => {
      const digits = match[0].replaceAll(/\D/g, '').length
      return digits >= 10 && digits <= 15 ? [spanOf(match)] : []
    },
  ),
  trigger(
    'personal_data',
    'warn',
    'phone¦tel:¦tel.¦tel ¦mobile¦whatsapp¦call ',
    /(?<![a-z])(?:(?:tele)?phone|tel|mobile|whatsapp|call)(?: (?:number|me|us|at|on|is)){0,3}[:. ]{1,3}\(?\d[\d ().-]{7,16}\d(?![\w.])/iy,
    (match) => (match[0].replaceAll(/\D/g, '').length >= 9 ? [spanOf(match)] : []),
  ),
  trigger(
    'personal_data',
    'warn',
    '/home/¦/users/',
    /(?<=^|[\s"'`(=:,[])\/(?:home|Users)\/([A-Za-z][\w.-]{1,31})(?=\/)/y,
    (match) => (isSomebody(match[1] ?? '') ? [spanOf(match)] : []),
  ),
  trigger(
    'personal_data',
    'warn',
    ':\\users\\¦:\\\\users\\\\',
    /:\\{1,2}Users\\{1,2}([A-Za-z][\w.-]{1,31})(?=\\)/iy,
    (match) => (isSomebody(match[1] ?? '') ? [spanOf(match)] : []),
  ),
]
