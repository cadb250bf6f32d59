import { spanOf, type Trigger, trigger } from './rule.ts'

/** Addresses of roles, machines and examples are not a person's. */
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
