import { randomFrom } from '../lib/texts.ts'

/**
 * Errors of products that `bench/symptom-fix` does not have, with variables for what differs between executions. The card of such an
 * error was recorded from one execution; the failures come from others.
 */
type Family = { command: string; error: string; title: string; fix: string }

const family = (command: string, error: string, title: string, fix: string): Family => ({
  command,
  error,
  title,
  fix,
})

export const FAMILIES: readonly Family[] = [
  family(
    'redis-cli -h {host} ping',
    'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist on disk. Port {n}',
    'Redis refuses writes because the snapshot cannot be saved',
    'Free space in the dump folder, then `redis-cli config set stop-writes-on-bgsave-error yes` stays as it is.',
  ),
  family(
    'redis-cli cluster info',
    'CLUSTERDOWN Hash slot {n} not served at {host}',
    'A slot of the Redis cluster has no owner',
    'Run `redis-cli --cluster fix` against one node and add the missing primary back.',
  ),
  family(
    'npm run worker',
    'ReplyError: WRONGPASS invalid username-password pair or user is disabled for {name}',
    'Redis ACL user of the worker is disabled',
    'Enable it: `acl setuser worker on`, and write the ACL file with acl save.',
  ),
  family(
    'mysql -h {host} {name}',
    'ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction on {name}',
    'A forgotten transaction holds the row lock in MySQL',
    'Find it in information_schema.innodb_trx and end it; commit before the slow call.',
  ),
  family(
    'mysqldump {name} > {file}.sql',
    "mysqldump: Got error: 1044: Access denied for user '{name}'@'{host}' to database when using LOCK TABLES",
    'The dump user may not lock tables',
    'Dump with `--single-transaction`, or grant LOCK TABLES.',
  ),
  family(
    'rails db:migrate',
    'Mysql2::Error: Specified key was too long; max key length is 767 bytes on {name}',
    'An index on a utf8mb4 column is too long for an old row format',
    'Set innodb_large_prefix with ROW_FORMAT=DYNAMIC, or index a prefix of 191 characters.',
  ),
  family(
    'kafka-console-consumer --topic {name}',
    'org.apache.kafka.common.errors.GroupAuthorizationException: Not authorized to access group: {name}-{n}',
    'The consumer group lacks an ACL',
    'Add a read ACL for the group: `kafka-acls --add --group`.',
  ),
  family(
    'java -jar {file}.jar',
    'org.apache.kafka.common.errors.RecordTooLargeException: The message is {n} bytes when serialized which is larger than max.request.size',
    'Kafka producer refuses a large record',
    'Raise max.request.size of the producer and message.max.bytes of the broker together, or compress.',
  ),
  family(
    'curl {host}:9200/{name}/_search',
    '{"error":{"type":"cluster_block_exception","reason":"index [{name}] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)]"}}',
    'Elasticsearch made its indices read-only after the disk was full',
    'Free disk, then set index.blocks.read_only_allow_delete to null.',
  ),
  family(
    'python {file}.py',
    "elasticsearch.BadRequestError: BadRequestError(400, 'illegal_argument_exception', 'Fielddata is disabled on [{name}] in [{file}]')",
    'Sorting on a text field of Elasticsearch',
    'Sort on the keyword sub-field instead of the analysed text.',
  ),
  family(
    'npx prisma migrate deploy',
    'Error: P3009 migrate found failed migrations in the target database, new migrations will not be applied. The `{name}` migration started at {time} failed',
    'A failed Prisma migration blocks the next ones',
    'Mend the schema by hand, then `prisma migrate resolve --applied` or --rolled-back.',
  ),
  family(
    'npx prisma db push',
    "Error: P1001: Can't reach database server at `{host}:{n}`",
    'Prisma cannot reach the database from inside the container',
    'Use the name of the service in DATABASE_URL, not localhost, and wait for its health check.',
  ),
  family(
    'python manage.py migrate',
    "django.db.migrations.exceptions.InconsistentMigrationHistory: Migration {name}.0001_initial is applied before its dependency {file}.0002_user on database 'default'",
    'Django migrations were applied before the custom user model',
    'Empty the migration table of both apps and fake them in order, or begin with a new database.',
  ),
  family(
    'python manage.py runserver',
    'django.core.exceptions.ImproperlyConfigured: Requested setting {name}, but settings are not configured. You must define DJANGO_SETTINGS_MODULE',
    'A script uses Django models before settings are loaded',
    'Call django.setup() after setting DJANGO_SETTINGS_MODULE.',
  ),
  family(
    'celery -A {name} worker',
    'kombu.exceptions.OperationalError: [Errno 111] Connection refused to broker {host}',
    'Celery starts before its broker',
    'Set broker_connection_retry_on_startup and wait for the broker in the entry point.',
  ),
  family(
    'python {file}.py',
    'sqlalchemy.exc.DetachedInstanceError: Parent instance <{name} at 0x7f{n}> is not bound to a Session; lazy load operation cannot proceed',
    'A relation is read after the SQLAlchemy session was closed',
    'Load it eagerly with selectinload, or keep the session open until the response is made.',
  ),
  family(
    'flask run',
    "werkzeug.routing.exceptions.BuildError: Could not build url for endpoint '{name}.{file}'. Did you mean 'static' instead?",
    'url_for names a view of a blueprint without the prefix',
    'Write url_for("blueprint.view"); inside the blueprint a leading dot is enough.',
  ),
  family(
    'bundle exec rspec',
    'ActiveRecord::PendingMigrationError: Migrations are pending. To resolve this issue, run: bin/rails db:migrate RAILS_ENV=test for {name}',
    'Rails tests refuse because the test database is behind',
    'Run `bin/rails db:test:prepare`.',
  ),
  family(
    'bundle install',
    "Gem::Ext::BuildError: ERROR: Failed to build gem native extension. An error occurred while installing {name} ({version}), mkmf.rb can't find header files for ruby",
    'Header files of Ruby are missing',
    'Install ruby-dev (Debian) or ruby-devel.',
  ),
  family(
    'php artisan serve',
    'SQLSTATE[HY000] [2002] php_network_getaddresses: getaddrinfo failed: Name or service not known (SQL: select * from {name})',
    'Laravel keeps an old database host in its cached configuration',
    'Clear it: `php artisan config:clear`.',
  ),
  family(
    'composer update',
    'Your requirements could not be resolved to an installable set of packages. Problem 1 - {name}/{file} {version} requires ext-intl * -> it is missing from your system',
    'Composer needs the intl extension of PHP',
    'Install and enable ext-intl for the PHP of the command line.',
  ),
  family(
    'npx webpack',
    'Module parse failed: Unexpected token ({n}:12) You may need an appropriate loader to handle this file type, in ./src/{file}.{name}',
    'webpack has no loader for a file type',
    'Add a rule for the extension, or asset/resource.',
  ),
  family(
    'npx vite build',
    '[vite]: Rollup failed to resolve import "{name}/{file}" from "src/{file}.ts". This is most likely unintended because it can break your application at runtime',
    'Vite cannot resolve a dependency that only development had',
    'Install it as a dependency, or list it in build.rollupOptions.external.',
  ),
  family(
    'npx cypress run',
    'Cypress: the test runner unexpectedly exited via a exit event with signal SIGSEGV on {host}, shared memory /dev/shm',
    'Cypress crashes in a container with little shared memory',
    'Give the container --ipc=host or --shm-size=1g.',
  ),
  family(
    'npx eslint .',
    'Oops! Something went wrong! ESLint: {version} ESLint couldn\'t find the config "{name}" to extend from. Please check that the name of the config is correct',
    'A shared ESLint config is not installed',
    'Install it beside eslint; flat config imports it instead of extending by name.',
  ),
  family(
    'conda env create -f {file}.yml',
    'LibMambaUnsatisfiableError: Encountered problems while solving: package {name}-{version} has constraint cudatoolkit conflicting',
    'conda cannot satisfy a CUDA pin',
    'Drop the pin of cudatoolkit and let pytorch-cuda decide.',
  ),
  family(
    'cmake --build {file}',
    'CMake Error at CMakeLists.txt:{n} (find_package): Could not find a package configuration file provided by "{name}" with any of the following names',
    'CMake does not find an installed package',
    'Point CMAKE_PREFIX_PATH to the folder that has the package config.',
  ),
  family(
    'make {name}',
    "/usr/bin/ld: {file}.o: relocation R_X86_64_32 against `.rodata' can not be used when making a PIE object; recompile with -fPIE",
    'An object was compiled without position independent code',
    'Compile all objects with -fPIE, or link with -no-pie.',
  ),
  family(
    'ffmpeg -i {file}.mov {name}.mp4',
    '[libx264 @ 0x55d{n}] height not divisible by 2 (1080x{n}) Error initializing output stream',
    'x264 refuses an odd height',
    'Scale with `-vf scale=trunc(iw/2)*2:trunc(ih/2)*2`.',
  ),
  family(
    'grpcurl {host}:443 list',
    'Failed to dial target host "{host}:443": x509: certificate relies on legacy Common Name field, use SANs instead',
    'A gRPC client refuses a certificate without alternative names',
    'Issue the certificate with subjectAltName.',
  ),
  family(
    'protoc --go_out=. {file}.proto',
    'protoc-gen-go: unable to determine Go import path for "{file}.proto" Please specify either a "go_package" option',
    'A proto file names no Go package',
    'Add option go_package, or pass M flags to protoc.',
  ),
  family(
    'rabbitmqctl list_queues',
    "operation basic.consume caused a channel exception precondition_failed: inequivalent arg 'x-message-ttl' for queue '{name}' in vhost '/'",
    'A RabbitMQ queue exists with other arguments',
    'Delete the queue or set the value by a policy instead of an argument.',
  ),
  family(
    'aws sso login --profile {name}',
    'Error when retrieving token from sso: Token has expired and refresh failed for {name}',
    'The SSO session of the AWS command line is over',
    'Run `aws sso login` again; in CI use a role with OIDC.',
  ),
  family(
    'hugo build',
    'Error: error building site: TOCSS: failed to transform "{name}/{file}.scss" (text/x-scss). Check your Hugo installation; you need the extended version to build SCSS/SASS',
    'The plain Hugo cannot transform SCSS',
    'Install the extended build of Hugo.',
  ),
  family(
    'latexmk -pdf {file}.tex',
    "! LaTeX Error: File `{name}.sty' not found. Type X to quit or <RETURN> to proceed",
    'A LaTeX package is not installed',
    'Install the collection that has it, or `tlmgr install` the package.',
  ),
  family(
    'mongoimport --collection {name}',
    'MongoServerError: E11000 duplicate key error collection: {name}.users index: email_1 dup key: { email: "{file}" }',
    'An import meets rows that MongoDB has already',
    'Import with --mode upsert and the unique field.',
  ),
  family(
    'sentry-cli releases new {version}',
    'error: API request failed caused by: sentry reported an error: Invalid org token (http status: 401) for {name}',
    'sentry-cli uses a token of another organisation',
    'Make an organisation token with the scope org:ci and set SENTRY_AUTH_TOKEN.',
  ),
  family(
    'dotnet restore',
    'error NU1102: Unable to find package {name} with version (>= {version}) - Found {n} version(s) in nuget.org',
    'NuGet does not know the version of a private package',
    'Add the private feed to nuget.config, with its credentials.',
  ),
  family(
    'dart pub get',
    'Because {name} depends on {file} any which requires the Flutter SDK, version solving failed. Flutter users should run `flutter pub get`',
    'dart pub is used in a Flutter project',
    'Run `flutter pub get` instead.',
  ),
  family(
    'npx nx build {name}',
    'NX Cannot find configuration for task {name}:build. Pass --verbose to see the stacktrace of {file}',
    'Nx does not know a project that was renamed',
    'Reset its cache with `nx reset` and look at the name in project.json.',
  ),
]

const NAMES = [
  'orders',
  'billing',
  'search',
  'media',
  'accounts',
  'reports',
  'catalog',
  'ingest',
  'ledger',
  'mailer',
]
const FILES = ['main', 'index', 'worker', 'setup', 'backfill', 'seed', 'resize', 'views']
const HOSTS = ['db.internal', 'cache-3', '10.0.4.17', 'broker.example', 'node-7.example']

export type Execution = { command: string; error: string }

/** One execution of a family, with names and numbers of its own. */
export function executionOf({ command, error }: Family, seed: number): Execution {
  const random = randomFrom(seed * 15_485_863 + 3)
  const pick = (from: readonly string[]) => from[random(from.length)] as string
  const values: Record<string, string> = {
    name: pick(NAMES),
    file: pick(FILES),
    host: pick(HOSTS),
    n: String(1000 + random(60_000)),
    version: `${random(9)}.${random(20)}.${random(9)}`,
    time: `2026-0${1 + random(9)}-1${random(9)} 0${random(9)}:2${random(9)}:1${random(9)}`,
  }
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)
  return { command: fill(command), error: fill(error) }
}
