import { describe, expect, test } from 'vitest'
import { readProjectKey } from './memory.ts'

const GITHUB = 'github.com/org/repo'
const GITLAB = 'gitlab.com/group/sub/repo'
const AZURE = 'dev.azure.com/org/project/repo'

describe('all spellings of one repository are one project', () => {
  test.each([
    ['https://github.com/Org/Repo.git', GITHUB],
    ['https://github.com/Org/Repo', GITHUB],
    ['https://github.com/org/repo/', GITHUB],
    ['https://github.com/org/repo.git/', GITHUB],
    ['http://github.com/org/repo', GITHUB],
    ['HTTPS://GitHub.com/ORG/REPO.GIT', GITHUB],
    ['https://user@github.com/org/repo.git', GITHUB],
    ['https://user:password@github.com/org/repo.git', GITHUB],
    ['https://user:p@ss@word@github.com/org/repo.git', GITHUB],
    ['ssh://bob:p@ssword@github.com:22/org/repo.git', GITHUB],
    ['https://github.com:443/org/repo.git', GITHUB],
    ['https://www.github.com/org/repo', GITHUB],
    ['https://github.com/org/repo?tab=readme', GITHUB],
    ['https://github.com/org/repo#install', GITHUB],
    ['https://github.com/org/repo/tree/main/src', GITHUB],
    ['https://github.com//org//repo', GITHUB],
    ['git@github.com:Org/Repo', GITHUB],
    ['git@github.com:org/repo.git', GITHUB],
    ['git@github.com:/org/repo.git', GITHUB],
    ['github.com:org/repo.git', GITHUB],
    ['ssh://git@github.com/Org/Repo', GITHUB],
    ['ssh://git@github.com:22/org/repo.git', GITHUB],
    ['ssh://git@ssh.github.com:443/org/repo.git', GITHUB],
    ['git+ssh://git@github.com/org/repo.git', GITHUB],
    ['git+https://github.com/org/repo.git', GITHUB],
    ['git://github.com/org/repo.git', GITHUB],
    ['github:org/repo', GITHUB],
    ['github.com/org/repo', GITHUB],
    ['GitHub.com/Org/Repo.git', GITHUB],
    ['github.com:443/org/repo', GITHUB],
    ['  https://github.com/org/repo  ', GITHUB],
    ['https://gitlab.com/Group/Sub/Repo.git', GITLAB],
    ['git@gitlab.com:group/sub/repo.git', GITLAB],
    ['ssh://git@altssh.gitlab.com:443/group/sub/repo.git', GITLAB],
    ['https://gitlab.com/group/sub/repo/-/merge_requests/7', GITLAB],
    ['gitlab.com/group/sub/repo', GITLAB],
    ['https://org@dev.azure.com/org/project/_git/repo', AZURE],
    ['git@ssh.dev.azure.com:v3/Org/Project/Repo', AZURE],
    ['https://org.visualstudio.com/project/_git/repo', AZURE],
    ['https://org.visualstudio.com/DefaultCollection/project/_git/repo', AZURE],
    ['org@vs-ssh.visualstudio.com:v3/org/project/repo', AZURE],
    ['https://dev.azure.com/org/_git/repo', 'dev.azure.com/org/repo/repo'],
    ['https://dev.azure.com/org/My%20Project/_git/repo', 'dev.azure.com/org/my project/repo'],
    ['git@bitbucket.org:team/repo.git', 'bitbucket.org/team/repo'],
    ['ssh://git@git.example.com:7999/team/repo.git', 'git.example.com/team/repo'],
    ['https://git.example.com:8443/team/repo', 'git.example.com/team/repo'],
    ['deploy@buildserver:team/repo.git', 'buildserver/team/repo'],
    ['http://localhost:3000/team/repo', 'localhost/team/repo'],
    ['ssh://git@[2001:db8::1]:22/team/repo.git', '[2001:db8::1]/team/repo'],
    ['ssh://git@[::]:22/team/repo.git', '[::]/team/repo'],
    ['http://git_host/team/repo', 'git_host/team/repo'],
    ['https://BÜCHER.de/a/b', 'xn--bcher-kva.de/a/b'],
    ['https://xn--bcher-kva.de/a/b', 'xn--bcher-kva.de/a/b'],
    ['https://github.com/O\u0308/r', 'github.com/ö/r'],
    ['https://github.com/O%CC%88/r', 'github.com/ö/r'],
  ])('%s', (written, key) => {
    expect(readProjectKey(written)).toMatchObject({ form: 'remote', key })
  })
})

test.each([
  ['org/repo', 'org/repo'],
  ['Org/Repo', 'org/repo'],
  ['org/repo.git', 'org/repo'],
  ['org/repo/', 'org/repo'],
  ['group/sub/repo', 'group/sub/repo'],
  ['org/repo.js', 'org/repo.js'],
])('%s is a repository whose host is not said', (written, key) => {
  expect(readProjectKey(written)).toEqual({ form: 'path', key, path: key })
})

test.each([
  ['my-project', 'my-project'],
  ['My Project', 'My Project'],
  ['  My Project ', 'My Project'],
  ['Team A/My App', 'Team A/My App'],
  ['проект', 'проект'],
  ['é', 'é'],
  ['プロジェクト/一', 'プロジェクト/一'],
  ['/srv/repo', '/srv/repo'],
  ['C:\\code\\repo', 'C:\\code\\repo'],
  ['./repo', './repo'],
  ['file:///srv/git/repo.git', 'file:///srv/git/repo.git'],
  ['https://github.com/', 'https://github.com/'],
  ['100% sure', '100% sure'],
  ['__user__/Preferences', '__user__/Preferences'],
  ['__USER__/preferences', '__USER__/preferences'],
  ['__user__/preferences/', '__user__/preferences/'],
  ['__user__/preference', '__user__/preference'],
  ['__user__', '__user__'],
  ['https://__user__/preferences', 'https://__user__/preferences'],
  ['git@__user__:preferences', 'git@__user__:preferences'],
  ['https://＿＿user＿＿/preferences', 'https://＿＿user＿＿/preferences'],
  ['https://github.com/__user__/preferences', 'https://github.com/__user__/preferences'],
  ['https://github.com/%5F_USER__/preferences.git', 'https://github.com/%5F_USER__/preferences.git'],
])('%s is kept as it was written', (written, key) => {
  expect(readProjectKey(written)).toEqual({ form: 'plain', key })
})

test('letters are composed, and the earlier spelling stays known', () => {
  expect(readProjectKey('e\u0301')).toEqual({
    form: 'plain',
    key: 'é',
    earlier: { form: 'plain', key: 'e\u0301' },
  })
})

test('the reserved key is itself, blanks around it or not', () => {
  for (const written of ['__user__/preferences', ' __user__/preferences\n'])
    expect(readProjectKey(written).form).toBe('user_preferences')
})

test('the same path on two hosts is two projects', () => {
  expect(readProjectKey('git@gitlab.com:org/repo').key).not.toBe(
    readProjectKey('git@github.com:org/repo').key,
  )
})

test('a key is read in linear time', () => {
  for (const unit of ['a/', '.', 'a.', '@', ':', '%', '-/']) readProjectKey(`https://${unit.repeat(100_000)}`)
})
