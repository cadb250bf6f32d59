#!/usr/bin/env node
// Plays a person whose browser is opened at a consent page: signed in by the cookie in PERSON, they press Connect or Cancel.
const [, , address] = process.argv
const cookie = `kv_session=${process.env.PERSON}`
const page = await (await fetch(address, { headers: { cookie } })).text()
// A box that is not ticked stays so.
const inputs = [
  ...page.matchAll(/<input type="(hidden|checkbox)" name="([^"]+)" value="([^"]*)" ?(checked)?>/g),
].filter(([, type, , , checked]) => type === 'hidden' || checked)
const fields = inputs.map(([, , name, value]) => [
  name,
  value.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code))),
])
const answer = await fetch(new URL('/oauth/authorize', address), {
  method: 'POST',
  headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams([...fields, ['decision', process.env.DECISION ?? 'allow']]).toString(),
  redirect: 'manual',
})
await (await fetch(answer.headers.get('location'))).text()
