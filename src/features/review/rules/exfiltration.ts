import { goesToAllowed } from '../hosts.ts'
import { type Found, farTrigger, type IsAllowedHost, spanOf, type Trigger, trigger } from '../rule.ts'

const SENSITIVE =
  '(?:id_rsa|id_ed25519|id_ecdsa|\\.ssh\\b|\\.aws\\b|\\.env\\b|\\.netrc|\\.npmrc|\\.pypirc|\\.gnupg|\\.kube\\b|\\.git-credentials|/etc/(?:passwd|shadow|hostname)|_history\\b|process\\.env|os\\.environ|printenv|credentials\\b)'

const unlessAllowed = (match: RegExpExecArray, _: string, isAllowedHost: IsAllowedHost): readonly Found[] =>
  goesToAllowed(match[0], isAllowedHost) ? [] : [spanOf(match)]

const SENDER = '(?<![\\w-])(?:curl|wget)\\s'

/** Commands and code that send out private data. */
const COMMANDS: Trigger[] = [
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
    unlessAllowed,
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
    unlessAllowed,
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
    unlessAllowed,
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
    unlessAllowed,
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
    unlessAllowed,
  ),
]

const DATA =
  '(?:\\.env\\b|private key|ssh key|api[ -]key|access token|secret key|\\bsecrets\\b|\\bpasswords?\\b|credentials|the conversation|this conversation|messages of this|this chat|chat history|environment variables|[A-Z_]{3,40}_(?:KEY|TOKEN|SECRET|PASSWORD)\\b|tool results|the session|session log)'
const OUTSIDE =
  '(?:https?:|address|\\bbots?\\b|support|maintainers?|comment|\\btitle\\b|\\blinks?\\b|\\burl\\b|helper|gist|\\bwiki\\b|e-?mail|webhook|public|author|image|service\\b)'

/** Requests in plain words. */
const SENTENCES: Trigger[] = [
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

export const EXFILTRATION_TRIGGERS: readonly Trigger[] = [...COMMANDS, ...SENTENCES]
