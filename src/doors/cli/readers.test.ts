import { expect, test } from 'vitest'
import { growsTooFast } from '../../../test/support/linear-time.ts'
import {
  type ReadVersions,
  readCargoLock,
  readEngines,
  readGoMod,
  readGoSum,
  readGradleLock,
  readNodeVersion,
  readPnpmLock,
  readPom,
  readPythonLock,
  readPythonVersion,
  readRequirements,
  readRustToolchain,
  readYarnLock,
} from './lock-files.ts'

const read = (reader: ReadVersions, text: string) => Object.fromEntries(reader(text, () => undefined))

test('requirements.txt: pinned versions', () => {
  const text = `# comment
Django==5.0.1 ; python_version >= "3.10"
flask_login[async] == 0.6.3  # why
uvicorn>=0.30
celery==5.*
-r other.txt
requests===2.32.0 \\
    --hash=sha256:00
`
  expect(read(readRequirements, text)).toEqual({
    'pypi:django': '5.0.1',
    'pypi:flask-login': '0.6.3',
    'pypi:requests': '2.32.0',
  })
})

test('uv.lock and poetry.lock', () => {
  const uv = `version = 1
requires-python = ">=3.12"

[[package]]
name = "django"
version = "5.0.1"
source = { registry = "https://pypi.example.com/simple" }
dependencies = [
    { name = "asgiref" },
]
sdist = { url = "https://pypi.example.com/x" }

[[package]]
name = "numpy"
version = "1.26.0"

[[package]]
name = "numpy"
version = "2.1.0"
`
  expect(read(readPythonLock, uv)).toEqual({ 'pypi:django': '5.0.1', 'pypi:numpy': '2.1.0' })
  const poetry = `[[package]]
name = "Flask"
version = "3.0.0"
description = "version = 9"

[package.dependencies]
version = "7.0.0"

[metadata]
lock-version = "2.0"
`
  expect(read(readPythonLock, poetry)).toEqual({ 'pypi:flask': '3.0.0' })
  expect(read(readPythonLock, 'package = []\n')).toEqual({})
  expect(() => read(readPythonLock, 'hello')).toThrow('no packages')
})

test("Cargo.lock: the version that one's own crates use", () => {
  const text = `version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = [
 "rand 0.8.5",
 "serde",
]

[[package]]
name = "rand"
version = "0.8.5"
source = "registry+https://crates.example.com"

[[package]]
name = "rand"
version = "0.9.0"
source = "registry+https://crates.example.com"

[[package]]
name = "serde"
version = "1.0.200"
source = "registry+https://crates.example.com"
dependencies = [
 "rand 0.9.0",
]
`
  expect(read(readCargoLock, text)).toEqual({
    'cargo:app': '0.1.0',
    'cargo:rand': '0.8.5',
    'cargo:serde': '1.0.200',
  })
})

test('go.mod and go.sum', () => {
  const text = `module example.com/app // ours

go 1.22
toolchain go1.22.4

require github.com/Pkg/errors v0.9.1

require (
	golang.org/x/net v0.25.0 // indirect
	example.com/a v1.0.0
	example.com/b v1.0.0
)

replace example.com/a => example.com/fork v1.5.0
replace example.com/b v1.0.0 => ../b
exclude example.com/c v1.0.0
`
  expect(read(readGoMod, text)).toEqual({
    'runtime:go': '1.22.4',
    'go:github.com/Pkg/errors': '0.9.1',
    'go:golang.org/x/net': '0.25.0',
    'go:example.com/a': '1.5.0',
    'go:example.com/b': '1.0.0',
  })
  expect(() => read(readGoMod, 'hello')).toThrow('names no module')
  const sum = `example.com/a v1.0.0 h1:x=
example.com/a v1.5.0 h1:x=
example.com/a v1.9.0/go.mod h1:x=
`
  expect(read(readGoSum, sum)).toEqual({ 'go:example.com/a': '1.5.0' })
  expect(() => read(readGoSum, 'hello')).toThrow('not a checksum')
})

test('pom.xml: direct dependencies, properties, the parent and Java', () => {
  const text = `<project>
  <parent><groupId>org.boot</groupId><artifactId>parent</artifactId><version>3.3.0</version></parent>
  <properties>
    <java.version>1.8</java.version>
    <guava.version>33.2.0-jre</guava.version>
  </properties>
  <dependencies>
    <dependency>
      <groupId>com.google.guava</groupId><artifactId>guava</artifactId><version>\${guava.version}</version>
      <exclusions><exclusion><groupId>x</groupId><artifactId>y</artifactId></exclusion></exclusions>
    </dependency>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version></dependency>
    <dependency><groupId>a</groupId><artifactId>managed-elsewhere</artifactId></dependency>
    <dependency><groupId>a</groupId><artifactId>b</artifactId><version>\${unknown}</version></dependency>
    <!-- <dependency><groupId>a</groupId><artifactId>c</artifactId><version>1</version></dependency> -->
  </dependencies>
  <build><plugins><plugin><dependencies>
    <dependency><groupId>a</groupId><artifactId>plugin</artifactId><version>1</version></dependency>
  </dependencies></plugin></plugins></build>
</project>`
  expect(read(readPom, text)).toEqual({
    'maven:org.boot:parent': '3.3.0',
    'maven:com.google.guava:guava': '33.2.0-jre',
    'maven:junit:junit': '4.13.2',
    'runtime:java': '8',
  })
  expect(() => read(readPom, 'hello')).toThrow('no project')
})

test.each<[string, ReadVersions, (length: number) => string]>([
  ['pom.xml', readPom, (length) => `<project>${'<!--<dependency><properties>'.repeat(length / 28)}`],
  ['requirements.txt', readRequirements, (length) => `a${' '.repeat(length)}b`],
  ['go.mod', readGoMod, (length) => `module a\n${' '.repeat(length)}b`],
  ['pnpm-lock.yaml', readPnpmLock, (length) => `lockfileVersion: 9\n${'a:b'.repeat(length / 3)}`],
  ['yarn.lock', readYarnLock, (length) => `# yarn lockfile v1\n${'a@1, '.repeat(length / 5)}`],
  ['rust-toolchain', readRustToolchain, (length) => '\n'.repeat(length)],
  [
    'package.json',
    readEngines,
    (length) => JSON.stringify({ engines: { node: `>=${' '.repeat(length)}x` } }),
  ],
])('a strange %s costs no more than its length', (_, reader, textOf) => {
  expect(read(reader, textOf(5_000_000))).toEqual({})
  expect(growsTooFast((length) => read(reader, textOf(length)), 50_000)).toBe(false)
})

test('gradle.lockfile', () => {
  const text = `# This is a Gradle generated file.
com.google.guava:guava:33.2.0-jre=compileClasspath,runtimeClasspath
empty=annotationProcessor
`
  expect(read(readGradleLock, text)).toEqual({ 'maven:com.google.guava:guava': '33.2.0-jre' })
  expect(() => read(readGradleLock, 'hello')).toThrow('not a locked dependency')
})

test('versions of runtimes', () => {
  expect(read(readNodeVersion, 'v24.1.0\n')).toEqual({ 'runtime:node': '24.1.0' })
  expect(read(readNodeVersion, '# ours\n\n22\n')).toEqual({ 'runtime:node': '22' })
  expect(read(readNodeVersion, 'lts/*')).toEqual({})
  expect(read(readPythonVersion, '3.12.4\n3.11\n')).toEqual({ 'runtime:python': '3.12.4' })
  expect(read(readPythonVersion, 'pypy-3.10')).toEqual({})
  expect(read(readRustToolchain, '1.80.1\n')).toEqual({ 'runtime:rust': '1.80.1' })
  expect(read(readRustToolchain, '[toolchain]\nchannel = "1.79"\n')).toEqual({ 'runtime:rust': '1.79' })
  expect(read(readRustToolchain, 'stable')).toEqual({})
  expect(read(readEngines, '{"engines":{"node":">=22.18 <25"}}')).toEqual({ 'runtime:node': '22.18' })
  expect(read(readEngines, '{"engines":{"node":"<21"}}')).toEqual({})
  expect(read(readEngines, '{}')).toEqual({})
  expect(() => read(readEngines, '{')).toThrow('not JSON')
})
