import { type DangerMatch, type IsAllowedHost, type Trigger, trigger } from './rule.ts'

const KNOWN_HOSTS: ReadonlySet<string> = new Set(
  `
github.com githubusercontent.com github.io ghcr.io github.dev githubassets.com gitlab.com gitlab.io bitbucket.org
codeberg.org sr.ht gitea.com sourceforge.net sourceforge.io launchpad.net savannah.gnu.org gnu.org kernel.org
npmjs.com npmjs.org registry.npmjs.org yarnpkg.com unpkg.com jsdelivr.net esm.sh skypack.dev jsr.io deno.land deno.com
nodejs.org bun.sh pnpm.io volta.sh nvm.sh pypi.org pythonhosted.org python.org pypa.io readthedocs.io readthedocs.org
anaconda.com anaconda.org conda.io conda-forge.org astral.sh python-poetry.org rubygems.org ruby-lang.org rubyonrails.org
bundler.io packagist.org getcomposer.org php.net wordpress.org drupal.org joomla.org crates.io rust-lang.org rustup.rs
sh.rustup.rs docs.rs golang.org go.dev proxy.golang.org sum.golang.org pkg.go.dev maven.org maven.apache.org
repo1.maven.org search.maven.org gradle.org kotlinlang.org jetbrains.com scala-lang.org scala-sbt.org clojars.org
clojure.org sdkman.io adoptium.net openjdk.org oracle.com java.com azul.com nuget.org microsoft.com visualstudio.com
vsassets.io aka.ms windows.net azure.com azureedge.net powershellgallery.com chocolatey.org scoop.sh get.scoop.sh
dotnet.microsoft.com hackage.haskell.org haskell.org get-ghcup.haskell.org stackage.org elm-lang.org erlang.org
elixir-lang.org hex.pm hexdocs.pm ocaml.org opam.ocaml.org nixos.org cachix.org guix.gnu.org julialang.org r-project.org
cran.r-project.org bioconductor.org rstudio.com posit.co perl.org cpan.org metacpan.org lua.org luarocks.org tcl-lang.org
dart.dev pub.dev flutter.dev flutter.io swift.org apple.com cocoapods.org brew.sh macports.org docker.com docker.io
download.docker.com get.docker.com hub.docker.com quay.io gcr.io pkg.dev mcr.microsoft.com registry.k8s.io k8s.io
kubernetes.io helm.sh artifacthub.io get.helm.sh charts.bitnami.com bitnami.com k3s.io get.k3s.io k0s.sh k3d.io rke2.io
istio.io linkerd.io cilium.io envoyproxy.io traefik.io nginx.org nginx.com haproxy.org caddyserver.com apache.org
httpd.apache.org debian.org ubuntu.com canonical.com snapcraft.io fedoraproject.org redhat.com centos.org rockylinux.org
almalinux.org opensuse.org suse.com archlinux.org alpinelinux.org gentoo.org void-linux.org freebsd.org openbsd.org
netbsd.org linuxmint.com raspberrypi.com raspberrypi.org postgresql.org mysql.com mariadb.org mariadb.com sqlite.org
mongodb.com mongodb.org redis.io redis.com valkey.io elastic.co artifacts.elastic.co opensearch.org cassandra.apache.org
kafka.apache.org confluent.io rabbitmq.com nats.io influxdata.com timescale.com clickhouse.com duckdb.org cockroachlabs.com
neo4j.com minio.io min.io dl.min.io hashicorp.com releases.hashicorp.com terraform.io opentofu.org pulumi.com
get.pulumi.com ansible.com chef.io puppet.com vagrantup.com packer.io vaultproject.io consul.io amazonaws.com
awscli.amazonaws.com aws.amazon.com amazon.com cloudfront.net google.com googleapis.com dl.google.com cloud.google.com
googlesource.com chromium.org gstatic.com android.com developer.android.com sdk.cloud.google.com firebase.google.com
cloudflare.com cdnjs.cloudflare.com developers.cloudflare.com fly.io heroku.com vercel.com netlify.com netlify.app
vercel.app render.com railway.app digitalocean.com linode.com hetzner.com ovh.com jquery.com bootstrapcdn.com
getbootstrap.com tailwindcss.com react.dev reactjs.org vuejs.org angular.io angular.dev svelte.dev nextjs.org nuxt.com
vite.dev vitejs.dev webpack.js.org rollupjs.org babeljs.io eslint.org prettier.io typescriptlang.org jestjs.io vitest.dev
playwright.dev cypress.io storybook.js.org expressjs.com fastify.dev nestjs.com electronjs.org prisma.io djangoproject.com
palletsprojects.com fastapi.tiangolo.com numpy.org scipy.org pandas.pydata.org matplotlib.org scikit-learn.org pytorch.org
download.pytorch.org tensorflow.org keras.io huggingface.co hf.co openai.com anthropic.com claude.ai ollama.com ollama.ai
mistral.ai nvidia.com developer.nvidia.com download.nvidia.com intel.com amd.com rocm.docs.amd.com arm.com llvm.org
apt.llvm.org gcc.gnu.org cmake.org ninja-build.org mesonbuild.com conan.io vcpkg.io boost.org qt.io gnome.org kde.org
freedesktop.org x.org videolan.org ffmpeg.org imagemagick.org gimp.org inkscape.org blender.org libreoffice.org
mozilla.org mozilla.net firefox.com letsencrypt.org certbot.eff.org eff.org openssl.org curl.se gnupg.org openssh.com
wireguard.com openvpn.net tailscale.com pkgs.tailscale.com zerotier.com torproject.org grafana.com prometheus.io
jaegertracing.io opentelemetry.io datadoghq.com s3.amazonaws.com install.datadoghq.com sentry.io newrelic.com
jenkins.io circleci.com travis-ci.com codecov.io sonarsource.com snyk.io aquasec.com trivy.dev sigstore.dev
slsa.dev stackoverflow.com stackexchange.com superuser.com serverfault.com wikipedia.org wikimedia.org w3.org whatwg.org
ietf.org rfc-editor.org iana.org unicode.org json.org schemastore.org json-schema.org modelcontextprotocol.io
slack.com discord.com zoom.us dropbox.com box.com atlassian.com atlassian.net trello.com notion.so linear.app figma.com
vim.org neovim.io emacs.org sublimetext.com code.visualstudio.com zed.dev cursor.com starship.rs ohmyz.sh zsh.org
fishshell.com tmux.github.io wezterm.org direnv.net asdf-vm.com mise.run mise.jdx.dev jdx.dev just.systems zenodo.org
arxiv.org figshare.com kaggle.com nist.gov nih.gov ncbi.nlm.nih.gov osf.io data.gov openstreetmap.org
`
    .trim()
    .split(/\s+/),
)

/** Hosts where anybody can upload anything, and hosts that hide the destination. */
const OPAQUE_HOSTS: ReadonlySet<string> = new Set(
  `
bit.ly tinyurl.com t.co goo.gl is.gd ow.ly buff.ly rebrand.ly cutt.ly shorturl.at rb.gy v.gd t.ly tiny.cc bl.ink
pastebin.com hastebin.com paste.ee dpaste.com ghostbin.com rentry.co privatebin.net justpaste.it controlc.com termbin.com
ix.io sprunge.us 0x0.st transfer.sh file.io anonfiles.com gofile.io catbox.moe litterbox.catbox.moe temp.sh bashupload.com
webhook.site requestbin.com pipedream.net ngrok.io ngrok.app ngrok-free.app trycloudflare.com loca.lt serveo.net
interact.sh oast.fun oast.pro burpcollaborator.net mega.nz mediafire.com zippyshare.com wetransfer.com sendspace.com
`
    .trim()
    .split(/\s+/),
)

/** Known hosts where anybody publishes: what is executed from there is known by its path alone. */
const HOSTS_OF_ANYBODY: ReadonlySet<string> = new Set(
  `
github.com githubusercontent.com github.io github.dev gitlab.com gitlab.io bitbucket.org codeberg.org sr.ht gitea.com
sourceforge.net sourceforge.io launchpad.net unpkg.com jsdelivr.net esm.sh skypack.dev deno.land netlify.app vercel.app
amazonaws.com cloudfront.net googleapis.com google.com windows.net azureedge.net huggingface.co hf.co dropbox.com box.com
discord.com slack.com notion.so atlassian.net readthedocs.io zenodo.org figshare.com kaggle.com
`
    .trim()
    .split(/\s+/),
)

/** Owners, or owner and repository, at GitHub, whose installers are widely used. */
const KNOWN_OWNERS: ReadonlySet<string> = new Set(
  `
homebrew linuxbrew nvm-sh/nvm creationix/nvm rust-lang rustup-rs pypa python pyenv rbenv nodenv asdf-vm nodejs nodesource
denoland oven-sh pnpm yarnpkg npm volta-cli schniz/fnm tj/n astral-sh python-poetry pdm-project mamba-org conda-forge
conda-incubator ohmyzsh robbyrussell/oh-my-zsh zsh-users zdharma-continuum junegunn/vim-plug junegunn/fzf tmux-plugins neovim
vim starship kubernetes kubernetes-sigs helm k3s-io k3d-io rancher istio linkerd cilium argoproj fluxcd derailed/k9s
jesseduffield/lazygit jesseduffield/lazydocker docker moby containerd hashicorp opentofu pulumi ansible aws awslabs azure
microsoft google googlecloudplatform golang golangci goreleaser aquasecurity anchore sigstore github cli git-lfs gitlabhq
scoopinstaller powershell chocolatey dotnet nixos determinatesystems postgres redis grafana prometheus open-telemetry
influxdata elastic apache mongodb huggingface pytorch tensorflow keras-team openai anthropics facebookresearch nvidia
psf django pallets encode numpy scipy pandas-dev matplotlib scikit-learn jupyter ipython pytest-dev celery facebook vuejs
angular sveltejs vercel vitejs rails ruby composer laravel symfony gradle sdkman ocaml haskell elixir-lang erlang dart-lang
flutter swiftlang cocoapods llvm direnv ajeetdsouza/zoxide sharkdp casey/just twpayne/chezmoi jdx/mise
tailscale cloudflare netbirdio getsentry codecov modelcontextprotocol
`
    .trim()
    .split(/\s+/),
)

/** Places of known software at the other hosts of anybody. */
const KNOWN_PLACES =
  /^(?:(?:awscli|amazoncloudwatch-agent)\.amazonaws\.com|dl\.google\.com|packages\.gitlab\.com|tmux\.github\.io|gitlab\.com\/gitlab-org|deno\.land\/(?:std(?:@[\w.]{1,20})?|install\.(?:sh|ps1)|x\/install)|s3\.amazonaws\.com\/session-manager-downloads|sdk\.cloud\.google\.com)(?:\/|$)/
/** Anybody adds commits, pull requests and attachments below the path of a repository of others. */
const FROM_OTHERS = /\.\.|%|[{}[\]\\]|[/@](?:refs\/)?pull\/|[/@][0-9a-f]{7,64}(?=[/#]|$)/
const IN_REPOSITORY =
  /^\/([\w-]{1,40})\/([\w.-]{1,100}?)(?:\.git)?(?:[@#]|\/?;?$|\/(?:raw|releases|archive|tarball|zipball)\/)/
const RAW_IN_REPOSITORY = /^\/([\w-]{1,40})\/([\w.-]{1,100})\//

function isKnownPlace(host: string, path: string): boolean {
  if (FROM_OTHERS.test(path)) return false
  if (KNOWN_PLACES.test(host + path)) return true
  const form =
    host === 'github.com'
      ? IN_REPOSITORY
      : host === 'raw.githubusercontent.com'
        ? RAW_IN_REPOSITORY
        : undefined
  const [, owner, repository] = form?.exec(path.toLowerCase()) ?? []
  if (owner === undefined) return false
  return KNOWN_OWNERS.has(owner) || KNOWN_OWNERS.has(`${owner}/${repository}`)
}

const MAX_LABELS = 8

function isBelow(hosts: ReadonlySet<string>, host: string): boolean {
  let rest = host
  for (let i = 0; i < MAX_LABELS; i++) {
    if (hosts.has(rest)) return true
    const dot = rest.indexOf('.')
    if (dot === -1) return false
    rest = rest.slice(dot + 1)
  }
  return false
}

/** Example hosts, and hosts of the own machine or network: names by their end, addresses whole. */
const OWN =
  /(?:^|\.)(?:example\.(?:com|org|net|edu)|example|test|invalid|local|localhost|internal|lan|home\.arpa|corp|intranet)$|^(?:127|10|0)(?:\.\d{1,3}){3}$|^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}$/
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/
const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){1,9}$/

/** An overlong authority was written to hide its end, so it stands for no real host. */
const HIDDEN = 'hidden'
const MAX_AUTHORITY_LENGTH = 1000
/** Matches a URL up to its path. Everything up to the last @ counts as user and password. */
export const AUTHORITY = `(?:https?|ftp):\\/\\/([^\\s/"'\`<>?#]{1,${MAX_AUTHORITY_LENGTH}})`

/** Returns the host of an authority such as `user@host:8080`; undefined for a placeholder or a single word. */
export function hostOf(authority: string): string | undefined {
  if (authority.length >= MAX_AUTHORITY_LENGTH) return HIDDEN
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/[()[\]{}|\\^,;].*$/, '')
    .replace(/:\d{0,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase()
  return NAME.test(host) ? host : undefined
}

const VALUE = `[ =]?(?:"[^"\\n]{0,500}"|'[^'\\n]{0,500}'|[^\\s"']{1,500})`
/** Excludes a comment with a quote, because `#` may stand inside quotes. */
const ANYWHERE = `\\s#[^\\n"']{0,500}(?![^\\n])|(?<!\\n)>{1,2}\\s?[^\\s"'|;&]{1,500}|\\|\\s{0,3}(?:sudo )?tee\\s(?:-a\\s)?[^\\s"'|;&-]{1,500}`
const LONG_OPTIONS = '--(?:referer|user-agent|header|cookie|output|output-document)'
const beside = (options: string) => new RegExp(`\\s(?:${options}|${LONG_OPTIONS})${VALUE}|${ANYWHERE}`, 'g')
/** In combined short options the first option with a value takes the rest of the word. */
const BESIDE_CURL = beside('-[#0-46aBfgGiIjJklLMnNOpqRsSvVZ]{0,8}[eAHbo]')
const BESIDE_WGET = beside('-[qvcdbnNSxrpkmEHLK46]{0,8}[oOAU]')
const BESIDE_OTHERS = beside('-(?:[oO]ut[fF]ile|[uU]ser[aA]gent)')
/** Options that make another host answer than the named one. */
const ELSEWHERE =
  /\s(?:-[a-zA-Z]{0,8}x(?:[ =]|["']?(?:\w{2,7}:\/\/|[\w-]{1,63}\.))|--(?:proxy|preproxy|socks\w{1,10}|connect-to|resolve|doh-url)[ =])/
/** Braces in a shell expand to several addresses: each is checked, and a path ends at a comma. */
const PATH = `[^\\s"'\`<>|)\\],]{0,500}`
const EACH_ADDRESS = new RegExp(`(?=${AUTHORITY}(${PATH}))`, 'gi')
const PATH_HERE = new RegExp(PATH, 'y')
const WITH_PATH = new RegExp(`${AUTHORITY}[^\\s"'\`<>|)\\],]{0,500}`, 'gi')
const BARE = '(?:[a-z0-9_-]{1,63}\\.){1,8}[a-z]{2,24}|\\d{1,3}(?:\\.\\d{1,3}){3}'
/** Matches a host without a scheme, as curl accepts it: before a path or a port, or as a word of its own. */
const BARE_HOST = new RegExp(
  `(?<=[\\s=]["']?(?:[\\w:.]{1,40}@)?)(?!(?:os|process|system|net|microsoft)\\.)(${BARE})(?=[/:]\\w|["']?(?:\\s|$))|(?<![\\w@/.:-])(${BARE})(?=[/:]\\w)`,
  'gi',
)

function besideOf(command: string): RegExp {
  const program = /(?<![\w-])(?:curl|wget|iwr|irm|invoke-)/i.exec(command)?.[0].toLowerCase()
  if (program === 'curl') return BESIDE_CURL
  return program === 'wget' ? BESIDE_WGET : BESIDE_OTHERS
}

/** Returns true if all hosts of a command are allowed: one known host does not excuse an unknown one. */
export const goesToAllowed = (command: string, isAllowedHost: IsAllowedHost): boolean =>
  everyAddress(command, (host) => isAllowedHost(host))

/** Returns true if code may be executed from all addresses of a command. */
export const runsFromAllowed = (command: string, isAllowedHost: IsAllowedHost): boolean =>
  everyAddress(command, isAllowedHost)

const RELEASE = /^\/[\w-]{1,40}\/[\w.-]{1,100}\/releases\/(?!.*(?:\.\.|%|[{}[\]\\]))/

/** Returns true for files that may be made executable: code from known places, and releases of anybody. */
export const downloadsFromAllowed = (command: string, isAllowedHost: IsAllowedHost): boolean =>
  everyAddress(command, (host, path) =>
    host === 'github.com' && RELEASE.test(path) ? isAllowedHost(host) : isAllowedHost(host, path),
  )

function everyAddress(command: string, isAllowed: (host: string, path: string) => boolean): boolean {
  const plain = command.replaceAll(besideOf(command), ' ')
  if (ELSEWHERE.test(plain)) return false
  const named = [...plain.matchAll(EACH_ADDRESS)].map(([, authority = '', path = '']) => ({
    host: hostOf(authority),
    path,
  }))
  const rest = plain.replaceAll(WITH_PATH, ' ')
  const bare = [...rest.matchAll(BARE_HOST)].map(({ index, 0: { length }, 1: first, 2: second }) => {
    PATH_HERE.lastIndex = index + length
    return { host: (first ?? second)?.toLowerCase(), path: PATH_HERE.exec(rest)?.[0] ?? '' }
  })
  return (
    named.length > 0 &&
    [...named, ...bare].every(({ host, path }) => host !== undefined && isAllowed(host, path))
  )
}

export function allowedHosts(added: readonly string[] = []): IsAllowedHost {
  const own = new Set(added.map((host) => host.toLowerCase()))
  return (host, path) =>
    OWN.test(host) ||
    isBelow(own, host) ||
    (isBelow(KNOWN_HOSTS, host) &&
      (path === undefined || !isBelow(HOSTS_OF_ANYBODY, host) || isKnownPlace(host, path)))
}

export const isOpaque = (host: string): boolean =>
  ADDRESS.test(host) || host.startsWith('xn--') || host.includes('.xn--') || isBelow(OPAQUE_HOSTS, host)

const namesIn = (text: string): readonly string[] => text.trim().split(/\s+/)

const NPM_NAMES = namesIn(`
lodash react react-dom express axios chalk commander debug moment request async bluebird underscore uuid yargs webpack
typescript tslib rxjs vue angular jquery prop-types classnames body-parser dotenv glob minimist mkdirp rimraf semver colors
inquirer fs-extra through2 core-js regenerator-runtime babel-core babel-loader babel-runtime eslint prettier jest mocha chai
sinon karma jasmine gulp grunt rollup parcel vite vitest esbuild swc turbo nodemon concurrently cross-env cross-spawn execa
husky lint-staged stylelint postcss autoprefixer tailwindcss sass node-sass less css-loader style-loader sass-loader
file-loader url-loader ts-node ts-loader ts-jest html-webpack-plugin mini-css-extract-plugin webpack-cli webpack-dev-server
create-react-app create-vite create-next-app next nuxt gatsby svelte preact solid-js ember-cli redux react-redux redux-thunk
redux-saga mobx zustand recoil immer immutable reselect react-router react-router-dom react-scripts react-native styled-components
emotion formik yup zod joi ajv validator moment-timezone dayjs date-fns luxon numeral bignumber.js decimal.js mathjs
socket.io socket.io-client ws engine.io koa fastify hapi restify nestjs polka connect cors helmet morgan compression
cookie-parser cookie-session express-session express-validator multer passport passport-local passport-jwt jsonwebtoken
bcrypt bcryptjs crypto-js nodemailer mongoose mongodb mysql mysql2 sqlite3 better-sqlite3 sequelize typeorm prisma knex
kysely drizzle-orm redis ioredis bull bullmq amqplib kafkajs graphql apollo-server apollo-client node-fetch isomorphic-fetch
cross-fetch got superagent supertest nock undici cheerio puppeteer playwright cypress selenium-webdriver jsdom
winston pino bunyan log4js loglevel signale ora listr figlet boxen cli-table3 progress prompts enquirer open opn
chokidar watchpack micromatch minimatch picomatch fast-glob globby anymatch braces fill-range is-number kind-of
ansi-styles ansi-regex strip-ansi supports-color color-convert color-name has-flag escape-string-regexp wrap-ansi string-width
readable-stream safe-buffer inherits util-deprecate string_decoder iconv-lite qs query-string form-data mime mime-types
accepts send serve-static finalhandler on-finished ee-first depd statuses http-errors content-type raw-body bytes
lru-cache yallist p-limit p-queue p-map p-retry retry backoff once wrappy ini js-yaml yaml toml json5 xml2js fast-xml-parser
cheerio handlebars mustache ejs pug nunjucks marked markdown-it remark rehype highlight.js prismjs dompurify sanitize-html
d3 three chart.js echarts highcharts leaflet pixi.js gsap animejs lottie-web swiper aws-sdk firebase firebase-admin
stripe twilio sharp jimp canvas pdfkit pdf-lib exceljs xlsx csv-parse papaparse archiver adm-zip jszip tar node-gyp
node-pre-gyp bindings nan electron electron-builder pm2 forever serverless aws-cdk vercel netlify-cli lerna nx
http-server http-proxy http-proxy-middleware serve live-server browser-sync browserify uglify-js terser acorn esprima
left-pad event-stream ua-parser-js faker nanoid shortid slugify deepmerge object-assign lodash.merge lodash.debounce
`)

const PYPI_NAMES = namesIn(`
requests numpy pandas scipy matplotlib seaborn scikit-learn tensorflow keras torch torchvision torchaudio transformers
django flask fastapi uvicorn gunicorn starlette pydantic sqlalchemy alembic psycopg2 psycopg2-binary psycopg pymysql
mysqlclient pymongo redis celery kombu boto3 botocore awscli s3transfer urllib3 certifi idna charset-normalizer chardet
six python-dateutil pytz tzdata setuptools wheel pip virtualenv pipenv poetry tox nox pytest pytest-cov pytest-mock
pytest-asyncio hypothesis coverage mock black flake8 pylint mypy ruff isort autopep8 bandit pre-commit jinja2 markupsafe
werkzeug itsdangerous click typer rich colorama tqdm tabulate pyyaml toml tomli attrs cattrs dataclasses typing-extensions
importlib-metadata zipp packaging pyparsing cffi pycparser cryptography pyopenssl paramiko bcrypt passlib pyjwt oauthlib
requests-oauthlib httpx httpcore aiohttp aiofiles anyio trio websockets websocket-client beautifulsoup4 lxml html5lib
selenium scrapy playwright pillow opencv-python imageio scikit-image pyarrow dask polars xgboost lightgbm catboost
statsmodels sympy networkx nltk spacy gensim openai anthropic langchain llama-index huggingface-hub tokenizers datasets
accelerate sentence-transformers faiss-cpu gradio streamlit plotly bokeh altair dash jupyter jupyterlab notebook ipython
ipykernel ipywidgets nbconvert nbformat openpyxl xlrd xlsxwriter python-docx reportlab pypdf pypdf2 pdfminer.six
google-api-python-client google-cloud-storage google-auth grpcio protobuf azure-core azure-storage-blob kubernetes docker
ansible fabric invoke psutil watchdog schedule apscheduler loguru structlog sentry-sdk python-dotenv environs decorator
wrapt deprecated cachetools joblib cloudpickle dill msgpack orjson ujson simplejson jsonschema marshmallow djangorestframework
django-filter django-cors-headers flask-cors flask-sqlalchemy flask-login graphene ariadne twisted tornado gevent eventlet
greenlet pyzmq pika confluent-kafka elasticsearch cassandra-driver neo4j influxdb-client prometheus-client opentelemetry-api
pywin32 pexpect sh plumbum gitpython pygithub python-gitlab slack-sdk discord.py tweepy twilio stripe faker factory-boy
freezegun responses vcrpy moto docutils sphinx mkdocs mkdocs-material pygments babel pyinstaller cython numba nuitka
shapely geopandas folium pyproj rasterio mlflow wandb optuna ray airflow apache-airflow prefect luigi great-expectations
`)

const MIN_NAME_LENGTH = 5
/** Names from this length on may be two edits away. */
const LONG_NAME = 9

/** Returns true if few edits turn one name into the other. A swap of two neighbours counts as one edit. */
export function isWithinEdits(a: string, b: string, edits: number, fromA = 0, fromB = 0): boolean {
  let [i, j] = [fromA, fromB]
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(j)) {
    i++
    j++
  }
  const [leftOfA, leftOfB] = [a.length - i, b.length - j]
  if (leftOfA === 0 || leftOfB === 0) return leftOfA + leftOfB <= edits
  if (Math.abs(leftOfA - leftOfB) > edits || edits === 0) return false
  const isExchanged = a.charCodeAt(i) === b.charCodeAt(j + 1) && a.charCodeAt(i + 1) === b.charCodeAt(j)
  return (
    isWithinEdits(a, b, edits - 1, i + 1, j + 1) ||
    isWithinEdits(a, b, edits - 1, i + 1, j) ||
    isWithinEdits(a, b, edits - 1, i, j + 1) ||
    (isExchanged && isWithinEdits(a, b, edits - 1, i + 2, j + 2))
  )
}

/** Returns a bit for each letter of a name. An edit changes at most two bits. */
function lettersOf(name: string): number {
  let letters = 0
  for (let at = 0; at < name.length; at++) letters |= 1 << name.charCodeAt(at)
  return letters
}

/** Counts bits without a loop, because the function runs for each known name. */
function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

const editsFor = (name: string): number => (name.length >= LONG_NAME ? 2 : 1)

type Known = { name: string; letters: number }
type Index = {
  known: ReadonlySet<string>
  byLength: ReadonlyMap<number, readonly Known[]>
  answers: Map<string, string | undefined>
}
const MAX_ANSWERS = 5000

const indexOf = (names: readonly string[]): Index => ({
  known: new Set(names),
  byLength: Map.groupBy(
    names
      .filter(({ length }) => length >= MIN_NAME_LENGTH)
      .map((name) => ({ name, letters: lettersOf(name) })),
    ({ name }) => name.length,
  ),
  answers: new Map(),
})

const lazily = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
const npm = lazily(() => indexOf(NPM_NAMES))
const pypi = lazily(() => indexOf(PYPI_NAMES))

const DIGITS: Record<string, string> = { 0: 'o', 1: 'l', 3: 'e', 5: 's' }

/** Finds typosquatting; skips names of other lengths, so that a long list of names stays linear. */
function findNearName(written: string, { known, byLength }: Index): string | undefined {
  const name = written.toLowerCase().replaceAll('_', '-')
  if (known.has(name) || name.length < MIN_NAME_LENGTH) return undefined
  const plain = name.replaceAll(/[0135]/g, (digit) => DIGITS[digit] ?? digit)
  if (known.has(plain)) return plain
  const edits = editsFor(name)
  const letters = lettersOf(name)
  for (let length = name.length - edits; length <= name.length + edits; length++)
    for (const candidate of byLength.get(length) ?? []) {
      const most = Math.min(edits, editsFor(candidate.name))
      if (countBits(letters ^ candidate.letters) > 2 * most) continue
      if (isWithinEdits(name, candidate.name, most)) return candidate.name
    }
  return undefined
}

function nearName(written: string, index: Index): string | undefined {
  const { answers } = index
  if (answers.has(written)) return answers.get(written)
  if (answers.size >= MAX_ANSWERS) answers.clear()
  const name = findNearName(written, index)
  answers.set(written, name)
  return name
}

const ARGUMENT = /[^\s]{1,120}/g
const PACKAGE_NAME = /^[A-Za-z][\w.-]{3,60}(?=$|@|[=<>~![;])/

function suspects(match: RegExpExecArray, index: Index): DangerMatch[] {
  const list = match[1] ?? ''
  const offset = match.index + match[0].length - list.length
  const found: DangerMatch[] = []
  for (const argument of list.matchAll(ARGUMENT)) {
    const name = PACKAGE_NAME.exec(argument[0])?.[0]
    if (name === undefined || nearName(name, index) === undefined) continue
    const start = offset + argument.index
    found.push({ start, end: start + name.length })
  }
  return found
}

export const PACKAGE_TRIGGERS: readonly Trigger[] = [
  trigger(
    'lookalike_package',
    'warn',
    'npm i¦npm add¦yarn add¦yarn global add¦pnpm add¦pnpm i¦npx ¦bunx ¦bun add¦pnpm dlx',
    /(?<![\w-])(?:npm (?:install|i|add)|yarn (?:global )?add|pnpm (?:add|install|i|dlx)|npx|bunx|bun add)((?:[ \t]{1,3}[^\s;&|`'"<>()]{1,80}){1,12})/iy,
    (match) => suspects(match, npm()),
  ),
  trigger(
    'lookalike_package',
    'warn',
    'pip install¦pip3 install¦uv add¦poetry add¦pipx install¦pdm add',
    /(?:pip3? install|(?<!\w)uv add|poetry add|pipx install|pdm add)((?:[ \t]{1,3}[^\s;&|`'"<>()]{1,80}){1,12})/iy,
    (match) => suspects(match, pypi()),
  ),
]
