import { expect, test } from 'vitest'
import { sampler } from '../../test/redaction/samples.ts'
import { redact } from './redact.ts'

const { randomFrom } = sampler(8)
const password = () => `Tr0${randomFrom('abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789', 8)}!x`

const GIVEN: ((password: string) => string)[] = [
  (given) => `redis-cli -h cache -a ${given} ping`,
  (given) => `redis-cli -a '${given}' --no-auth-warning`,
  (given) => `port 6379\nrequirepass ${given}`,
  (given) => `*:*:*:postgres:${given}`,
  (given) => `mongosh --host "db one" -u app -p ${given} admin`,
  (given) => `mongodump -u app \\\n  -p '${given}' --archive`,
  (given) => `sqlcmd -S db -U sa -P ${given} -Q "select 1"`,
  (given) => `bcp orders out orders.txt -S db -U sa -P${given}`,
  (given) => `ldapsearch -x -D "cn=admin" -w ${given} -b dc=example`,
  (given) => `oc login https://api.example.com:6443 -u dev -p ${given}`,
  (given) => `cf login -a api.example.com -u dev -p '${given}'`,
  (given) => `cqlsh -u dev -p ${given} 10.0.0.1`,
  (given) => `mosquitto_pub -h broker -u dev -P ${given} -t news`,
  (given) => `ssh-keygen -t ed25519 -N "${given}" -f key`,
  (given) => `openssl enc -aes-256-cbc -k ${given} -in file`,
  (given) => `doctl auth init -t ${given}`,
  (given) => `xfreerdp /u:bob /p:${given} /v:host`,
  (given) => `lftp -u bob,${given} ftp.example.com`,
  (given) => `curl -fsSLu bob:${given} https://example.com`,
  (given) => `curl -X POST https://example.com -sSu 'bob:${given}'`,
  (given) => `curl -u bob:${given} https://example.com`,
  (given) => `curl --proxy-user bob:${given} https://example.com`,
  (given) => `curl -b 'lang=en' -b "session=${given}" https://example.com`,
  (given) => `http -a bob:${given} GET example.com`,
  (given) => `sqlplus -S scott/${given}@db.example.com/ORCL`,
  (given) => `jdbc:oracle:thin:scott/${given}@//db.example.com:1521/ORCL`,
  (given) => `poetry config http-basic.corp bob ${given}`,
  (given) => `ConvertTo-SecureString "${given}" -AsPlainText -Force`,
  (given) => `ConvertTo-SecureString -AsPlainText -Force -String '${given}'`,
  (given) => `ALTER USER 'a'@'%' IDENTIFIED WITH mysql_native_password BY '${given}'`,
  (given) => `CREATE ROLE app LOGIN ENCRYPTED PASSWORD '${given}'`,
  (given) => `unzip -P ${given} backup.zip`,
  (given) => `net use Z: \\\\files\\team /user:corp\\bob ${given}`,
  (given) => `7z x backup.7z -p${given}`,
  (given) => `az login --service-principal -u app -p ${given} --tenant one`,
  (given) => `smbclient //files/share -U bob%${given}`,
  (given) => `htpasswd -b .htpasswd bob ${given}`,
  (given) => `htpasswd -nbB bob ${given} > file`,
  (given) => `htpasswd -c -b /etc/nginx/users bob "${given}"`,
  (given) => `rabbitmqctl add_user app ${given}`,
  (given) => `rabbitmqctl -n rabbit change_password app '${given}'`,
  (given) => `net user bob ${given} /add`,
  (given) => `echo ${given} | sudo -S apt update`,
  (given) => `echo -n "${given}" | sudo -k -S true`,
  (given) => `printf '%s\\n' '${given}' | sudo -S true`,
  (given) => `echo 'root:${given}' | chpasswd`,
  (given) => `echo "bob:${given}" | sudo chpasswd`,
  (given) => `echo ${given} | docker login ghcr.io -u me --password-stdin`,
  (given) => `sudo -S <<< "${given}" true`,
  (given) => `chpasswd <<< 'bob:${given}'`,
  (given) => `gh secret set DEPLOY --body "${given}"`,
  (given) => `gh secret set DEPLOY -b ${given} --repo org/app`,
  (given) => `kubectl create secret generic app --from-literal=anything=${given}`,
  (given) =>
    `kubectl -n a create secret generic app --from-literal='one=${given}' --from-literal=two="${given}"`,
]

test('passwords that are given to commands', () => {
  for (const write of GIVEN) {
    const given = password()
    const { text, findings } = redact(write(given))
    expect(text).toBe(write(`<${findings[0]?.kind.toUpperCase()}>`))
  }
  const login = (given: string) => `postfix/smtpd[12]: < mail[192.0.2.4]: AUTH PLAIN ${given}`
  expect(redact(login(Buffer.from(`\0bob\0${password()}`).toString('base64'))).text).toBe(login('<PASSWORD>'))
  const role = (given: string) => `CREATE ROLE app LOGIN PASSWORD '${given}'`
  expect(redact(role('sunny7horse')).text).toBe(role('<PASSWORD>'))
})

test('each command alone is a place for a password, not the words around it', () => {
  for (const text of [
    'redis-cli -a "$REDIS_PASSWORD" ping',
    'redis-cli -h localhost -a',
    'mongosh -p 27017',
    'mongosh -u app -p --authenticationDatabase orders1',
    'mongodb -p orders2024',
    'unzip -P "$PW" backup.zip',
    'gzip -P orders2024',
    'tar -P -xf backup2024.tar && zip -r orders2024',
    'htpasswd -b .htpasswd bob "$PASS"',
    'htpasswd -c .htpasswd bob2024 and then more',
    'echo "$PW" | sudo -S true',
    'echo done2024 | sudo tee /etc/motd',
    'echo hello2024 | docker run -i app',
    'echo root:x:0:0 | cut -d: -f1',
    'cat pass.txt | docker login -u me --password-stdin',
    'echo "starting the build"; cat token | docker login --password-stdin',
    'gh secret set NAME --body "$VALUE"',
    'gh secret set NAME < file2024.txt',
    'gh issue create --body "It fails with error E1234 on node20"',
    'kubectl create secret generic app --from-literal=key=$VALUE',
    'kubectl create configmap app --from-literal=mode=production2024',
    'rabbitmqctl add_user app <password>',
    'rabbitmqctl list_users --formatter json2024',
    'smbclient //files/share -U bob2024',
    'smbclient -U bob%$PASS',
    'ldapsearch -x -W -b dc=example2024',
    'net user bob2024',
    'docker run -p 8080:80 -a stdout image2024',
    'cp -a source2024 target2024',
    'cat <<< "hello2024"',
    'sudo -u app2024 whoami',
    'node app.js | pino-http-send -u http://localhost:8080/logs',
    'See https://example.com and run [`terraform init -upgrade`](https://example.com/docs/init.html)',
    'curl --user https://example.com:8080/orders2024',
    'curl -fsSLo orders2024.tgz https://example.com:8080/orders2024',
    'curl -sSu "$USER:$PASS" https://example.com',
    'curl -fsSL https://get.example.com | sh && docker run -u node:nodegroup image',
    'curl -b cookies2024.txt https://example.com',
    'sqlplus /nolog @setup2024.sql && sqlplus scripts/load2024.sql',
    'ssh-keygen -t ed25519 -N "" -C orders2024 -f key2024',
    'openssl enc -d -aes256 -kfile key2024.bin',
    'xfreerdp /v:host2024 /port:3389 /p:$PW',
    'poetry config virtualenvs.path folder2024',
    'ConvertTo-SecureString "$env:PASSWORD" -AsPlainText, ConvertTo-SecureString $plain2024',
    'the password for staging is in 1Password; the password of user bob2024 is required',
    "CREATE USER app; the password 'minimum2024' is short",
    'key_mgmt=WPA-PSK\nproto=RSN2024',
  ])
    expect(redact(text)).toEqual({ text, findings: [] })
})
