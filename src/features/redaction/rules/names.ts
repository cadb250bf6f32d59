/**
 * Names that say "the value beside me is a secret", and the kind that such a value is called. `whole` ones are
 * short: more lower-case letters after them make another word (`keyword`, `author`, `passenger`).
 */
export type SecretName = { kind: string; whole: boolean; names: readonly string[] }

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
    ],
  },
  { kind: 'password', whole: true, names: ['pass', 'pwd', 'pw', 'psk', 'senha'] },
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
    ],
  },
  { kind: 'secret', whole: true, names: ['creds', 'salt', 'hmac'] },
  { kind: 'token', whole: false, names: ['session_id', 'sessionid', 'authorization'] },
  { kind: 'token', whole: true, names: ['token', 'auth', 'bearer', 'jwt'] },
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
    ],
  },
  { kind: 'api_key', whole: true, names: ['key', 'api', 'client_id', 'clientid'] },
]
