/** The person in the browser: opens the consent page with their session, presses Connect, and is sent back to the app. */
export async function consent(url: URL, sessionToken: string): Promise<URL> {
  const cookie = `kv_session=${sessionToken}`
  const page = await (await fetch(url, { headers: { cookie } })).text()
  const inputs = [...page.matchAll(/<input type="(?:hidden|checkbox)" name="([^"]+)" value="([^"]*)"/g)]
  const fields = inputs.map(([, name = '', value = '']): [string, string] => [
    name,
    value.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code))),
  ])
  const answer = await fetch(new URL('/oauth/authorize', url), {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams([...fields, ['decision', 'allow']]).toString(),
    redirect: 'manual',
  })
  return new URL(answer.headers.get('location') ?? '')
}
