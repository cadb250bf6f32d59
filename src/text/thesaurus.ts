import { fold } from './fold.ts'
import { interpret } from './terms.ts'

/**
 * Words of one meaning in the field, a group a line. Words of a group find each other, with less weight than a typed word.
 * A word may be in several groups.
 */
const GROUPS = `
oom oomkilled heap memory ram speicher speichermangel mémoire memoria モリ 内存 память
kubernetes k8s kube kubectl
timeout timed deadline elapsed zeitüberschreitung timeouts délai délais espera タイムアウト 超时
denied forbidden unauthorized permission permissions eacces eperm verweigert refusé refusée denegado denegada berechtigung autorisation permiso permisos rechte 権限 拒否 権利 401 403
permission writable readable eacces chmod chown rights privilege privileges
unauthorized unauthenticated unauthorised 401 credentials login token
forbidden 403 denied
login signin logon auth authentication authenticate anmeldung anmelden connexion sesión ログイン 認証 登录
password passwort kennwort passwd passphrase contraseña パスワード 密码 credentials
refused econnrefused unreachable abgelehnt rejected refuse refuses rechazada rechazado 拒否
connection verbindung conexión connexion 接続 连接 connect
fail fails failed failure fehler fehlgeschlagen fehlschlag schlägt scheitert échec échoue échoué fallo falla falló fallido 失敗 エラ 错误 ошибка broken error errors erreur fehlermeldung
crash crashes crashed segfault sigsegv segmentation abort aborts panic abgestürzt absturz stürzt plante 落ち 崩溃
crash killed dies died terminated terminates exits beendet 終了
missing absent fehlt fehlen fehlend lacks manque manquant manquante falta faltan 欠け
notfound enoent missing nonexistent
found gefunden trouvé introuvable encontrado 見つ
hang hangs hung freeze freezes frozen stuck blocked blocks stalls hängt bloqué bloqueado colgado 固ま 止ま 停止
wait waits pending queued waiting wartet ausstehend
deadlock lock locks locked mutex mutual contention verklemmung sperre
slow slowness latency performance sluggish langsam lent lente lenteur lento lenta 遅い throughput
disk space storage enospc speicherplatz festplatte platte disque espace disco espacio ディスク 磁盘
full exhausted voll plein pleine lleno いっぱい
start startup boot launch starten startet démarrage démarrer démarre arranque arrancar iniciar inicio 起動 启动
restart reboot restarts neustart neustarten redémarrage redémarrer reiniciar reinicio 再起動 重启
update upgrade upgraded updated aktualisierung aktualisieren jour actualización actualizar 更新 升级
install installation installieren installer instalar instalación 安装 setup
delete remove erase deleted removed löschen gelöscht supprimer supprimé borrar eliminar 削除 删除 purge
lost loses lose gone verloren perdu perdue perdido perdida 消え disappear disappears disappeared vanish vanished
empty blank leer vide vacío vacía 空
backup backups dump sicherung sauvegarde respaldo バックアップ 备份
database db datenbank base bdd datos データベース 数据库
config configuration settings setting konfiguration einstellung einstellungen configuración paramètre paramètres 設定 配置 options
env environment umgebung environnement entorno 環境
variable vars variables
repository repo repos
dependency dependencies deps package packages abhängigkeit abhängigkeiten dépendance dependencia 依存 module library
directory folder dir verzeichnis ordner dossier répertoire directorio carpeta フォルダ
file datei dateien fichier fichiers archivo archivos ファイル 文件
javascript js ecmascript
typescript ts
python py
golang go
postgres postgresql pg psql
elasticsearch opensearch
certificate cert certs x509 zertifikat certificat certificado 証明書 证书
tls ssl https handshake
expired expires expiry abgelaufen expiré expirée caducado caducada vencido 期限切れ
ci pipeline continuous workflow
clients sessions
null nil undefined none nullpointerexception npe nullreferenceexception
ratelimit throttle throttled throttling 429 quota limit rate requests
dns resolve resolved resolution getaddrinfo enotfound nslookup lookup hostname namensauflösung
reset econnreset aborted closed disconnected
network netzwerk réseau red ネットワーク 网络
server serveur servidor サーバー 服务器 host
mail email e-mail correo courriel 邮件 smtp
printer drucker imprimante impresora
timezone tz utc zone dst
ignored ignore effect unused ignoriert ignoré ignorado
late delayed delay verspätet retard retraso lag 遅れ
duplicate twice double doppelt doublon duplicado 重複
corrupt corrupted damaged broken beschädigt kaputt corrompu corrupto 壊れ
big large huge size oversized gross groß grand grande shrink 大き
certificate untrusted trusted authority
unreadable garbled mojibake encoding charset utf8 kodierung codificación encodage 文字化け
test tests spec prueba pruebas テス
flaky intermittent sporadic unstable sporadisch zeitweise intermittent
build compile compilation kompilieren bauen construir ビルド 构建
image container docker
rollback revert undo zurücksetzen annuler deshacer 戻す
proxy gateway
504 502 503 gateway unavailable
500 internal
upload hochladen téléverser subir 上传
download herunterladen télécharger descargar ダウンロード 下载
screen bildschirm écran pantalla 画面
page seite página ペー
browser navigateur navegador ウザ
button knopf schaltfläche bouton botón ボタ
user users benutzer nutzer utilisateur usuario ユーザー 用户
query abfrage requête consulta クエ 查询
server listener daemon service dienst
job batch cron scheduled バッ nightly 夜間
cache cached zwischenspeicher caché キャッシュ 缓存
thread goroutine process prozess processus proceso プロセス
port socket
firewall iptables security pare-feu cortafuegos
vpn tunnel
token jwt bearer apikey key
`

let meanings: ReadonlyMap<string, ReadonlySet<string>> | undefined

const stemOf = (word: string): string => interpret(fold(word)).terms.at(-1) ?? ''
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u
/** Scripts without blanks are indexed by pairs of characters; the middle one tells words apart best. */
function termOf(word: string): string {
  if (!UNSPACED.test(word)) return stemOf(word)
  const characters = [...fold(word)]
  const middle = Math.floor((characters.length - 2) / 2)
  return characters.slice(middle, middle + 2).join('')
}

function read(): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>()
  for (const line of GROUPS.trim().split('\n')) {
    const terms = new Set(line.split(/\s+/).map(termOf))
    for (const term of terms) all.set(term, new Set([...(all.get(term) ?? []), ...terms]))
  }
  for (const [term, others] of all) others.delete(term)
  return all
}

/** Returns index terms of words that mean the same in the field. */
export function meansAlso(term: string): readonly string[] {
  meanings ??= read()
  return [...(meanings.get(term) ?? [])]
}
