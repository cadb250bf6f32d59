import type { Name } from './assignments.ts'
import { lazily } from './rule.ts'

/** `whole`: more letters after this short name make another word (`keyword`, `author`). */
type SecretName = { kind: string; whole: boolean; names: readonly string[] }

export const SECRET_NAMES: readonly SecretName[] = [
  {
    kind: 'password',
    whole: false,
    names: [
      'password',
      'passwd',
      'passphrase',
      'passcode',
      'passwort',
      'kennwort',
      'mot_de_passe',
      'mot de passe',
      'contrasena',
      'wachtwoord',
      'passord',
      'losenord',
      'adgangskode',
      'salasana',
      'palavra-passe',
      'palavra_passe',
      'kata sandi',
      'haslo',
      'heslo',
      'lozinka',
      'jelszo',
      'pass word',
      'pass-word',
      'pass_word',
      'pass phrase',
      'pass-phrase',
      'pass code',
      'passw0rd',
      'passw0rt',
      'p@ssword',
      'p@ssw0rd',
      'pa55word',
      'p4ssword',
      'passwrd',
      'pasword',
      'p a s s w o r d',
      'p a s s w o r t',
      'motdepasse',
      'mot-de-passe',
      'palavra passe',
      'katasandi',
      'kodeord',
      'parool',
      'slaptazodis',
      'geslo',
      'lykilord',
      'contrasenya',
      'contrasinal',
      'parolan',
      'zaporka',
      'code wifi',
      'wifi code',
      'wlan-code',
      'wlan code',
      'shared-key',
      'preshared',
      'pwgen',
      'makepasswd',
    ],
  },
  {
    kind: 'password',
    whole: true,
    names: [
      'pass',
      'pwd',
      'pw',
      'psk',
      'senha',
      'parola',
      'parole',
      'sifre',
      'mdp',
      'clave',
      'losen',
      'pswd',
      'pass wd',
    ],
  },
  {
    kind: 'secret',
    whole: false,
    names: [
      'secret',
      'credential',
      'private_key',
      'privatekey',
      'private-key',
      'signing_key',
      'signingkey',
      'signing-key',
      'encryption_key',
      'encryptionkey',
      'encryption-key',
      'master_key',
      'masterkey',
      'recovery code',
      'backup code',
      'access code',
      'security code',
      'unlock code',
      'geheimnis',
      'segredo',
      'segreto',
      'segreta',
      'segreda',
      'add-mask',
      'openssl rand',
      'genkey',
    ],
  },
  { kind: 'secret', whole: true, names: ['creds', 'salt', 'hmac'] },
  { kind: 'token', whole: false, names: ['session_id', 'sessionid', 'authorization'] },
  { kind: 'token', whole: true, names: ['token', 'tok', 'auth', 'bearer', 'jwt', 'jeton'] },
  {
    kind: 'api_key',
    whole: false,
    names: [
      'api_key',
      'apikey',
      'api-key',
      'api key',
      'access_key',
      'accesskey',
      'access-key',
      'access key',
      'account_key',
      'accountkey',
      'shared_key',
      'sharedkey',
      'license_key',
      'licensekey',
      'subscription_key',
      'subscription-key',
      'schluessel',
    ],
  },
  { kind: 'api_key', whole: true, names: ['key', 'api', 'client_id', 'clientid'] },
]

/** Names in non-ASCII letters, which the keyword table does not hold. Word endings may follow. */
export const FOREIGN_NAMES: readonly SecretName[] = [
  {
    kind: 'password',
    whole: false,
    names: [
      'парол',
      '密码',
      '密碼',
      '口令',
      'パスワード',
      '비밀번호',
      '암호',
      'كلمة المرور',
      'كلمة السر',
      'סיסמה',
      'סיסמא',
      'пассворд',
      'パスコード',
      '暗証番号',
      '合言葉',
      '비번',
      '패스워드',
      'mật mã',
      'hasła',
      'haseł',
      'slaptažod',
      'šifra',
      'contraseña',
      'contrasen\u0303a',
      'hasło',
      'şifre',
      'lösenord',
      'jelszó',
      'κωδικός',
      'mật khẩu',
      'पासवर्ड',
      'รหัสผ่าน',
    ],
  },
  { kind: 'token', whole: false, names: ['токен', '令牌', 'トークン', '토큰'] },
  {
    kind: 'secret',
    whole: false,
    names: ['секрет', 'secrète', 'приватный ключ', '密钥', '密鑰', 'シークレット'],
  },
  { kind: 'api_key', whole: false, names: ['ключ', 'schlüssel', 'clé ', 'clé_', 'キー', '키'] },
]

/** Letters only; dashes, quotes and arrows occur in many texts. */
const FOREIGN_LETTER = /[\u00c0-\u1fff\u3040-\ud7af]/
export const hasForeignLetters = (text: string): boolean => FOREIGN_LETTER.test(text)
const isForeign = (code: number): boolean =>
  (code >= 0xc0 && code <= 0x1fff) || (code >= 0x3040 && code <= 0xd7af)
/** Matches word endings except Latin letters, which begin the value when no blank separates them. */
const ENDING = '(?:(?![A-Za-z])[\\p{L}\\p{M}]){0,12}'
/** Matches more words, as in `пароль от базы: …`. */
const MORE_WORDS = '(?:[ \\t](?![A-Za-z]{8})\\p{L}{1,20}(?=[ \\t:=])){0,3}'
const foreignName = lazily(
  () => `(?:${FOREIGN_NAMES.map(({ names }) => `(${names.join('|')})`).join('|')})${ENDING}${MORE_WORDS}`,
  'giu',
)

/** The maximum length of a name before its first non-ASCII letter and behind its last one. */
const MAX_LENGTH_BEFORE = 40
const MAX_LENGTH_BEHIND = 120
const NEXT_FOREIGN_LETTER = new RegExp(FOREIGN_LETTER, 'g')

function* foreignParts(text: string): Generator<{ from: number; to: number }> {
  for (let from = 0; ; ) {
    NEXT_FOREIGN_LETTER.lastIndex = from
    const first = NEXT_FOREIGN_LETTER.exec(text)?.index
    if (first === undefined) return
    let to = first + MAX_LENGTH_BEHIND
    for (let at = first + 1; at < Math.min(to, text.length); at += 1)
      if (isForeign(text.charCodeAt(at))) to = at + MAX_LENGTH_BEHIND
    yield { from: Math.max(from, first - MAX_LENGTH_BEFORE), to }
    from = to
  }
}

export function* foreignNames(text: string): Generator<{ name: Name; kind: string }> {
  for (const { from, to } of foreignParts(text)) {
    for (const found of text.slice(from, to).matchAll(foreignName())) {
      const group = found.slice(1).findIndex((name) => name !== undefined)
      const kind = FOREIGN_NAMES[group]?.kind
      const start = from + found.index
      if (kind) yield { name: { start, end: start + found[0].length }, kind }
    }
  }
}

const IN_NAME = new Uint8Array(128)
for (const character of '.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')
  IN_NAME[character.charCodeAt(0)] = 1

const isInName = (text: string, at: number): boolean => IN_NAME[text.charCodeAt(at)] === 1

const LOOKED_BACK = 40
const LOOKED_ON = 25

/** Reads the letters once for all names in them: millions of names would block (denial of service). */
export class NameRuns {
  readonly #text: string
  #start = 0
  #end = 0

  constructor(text: string) {
    this.#text = text
  }

  isDeepInside({ start, end }: { start: number; end: number }): boolean {
    if (start < this.#start || end > this.#end) this.#moveTo(start, end)
    return start - LOOKED_BACK >= this.#start && end + LOOKED_ON <= this.#end
  }

  #moveTo(start: number, end: number): void {
    let first = start
    while (first > Math.max(0, start - LOOKED_BACK) && isInName(this.#text, first - 1)) first -= 1
    let last = end
    while (last < this.#text.length && isInName(this.#text, last)) last += 1
    this.#start = first
    this.#end = last
  }
}
