import { type GrantableScope, isLoopback, SCOPE_MEANING } from './oauth.rules.ts'

export type ConsentView = {
  clientName: string
  clientHost: string | null
  redirectUri: string
  scopes: readonly GrantableScope[]
  userEmail: string
  csrf: string
  fields: Record<string, string>
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

// The same tokens as the web app: system type, four sizes, multiples of four, one accent, light and dark.
const STYLE = `
:root{color-scheme:light dark;--bg:#f7f8fa;--panel:#fff;--ink:#1a1d24;--soft:#5b6272;--line:#e2e5eb;--accent:#4f46e5;--on:#fff;--warn:#92400e}
@media(prefers-color-scheme:dark){:root{--bg:#0f1117;--panel:#171a22;--ink:#e8eaf0;--soft:#9aa2b4;--line:#2a2f3b;--accent:#818cf8;--on:#0f1117;--warn:#fbbf24}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:16px;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{width:100%;max-width:440px;background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:24px}
h1{font-size:20px;line-height:1.3;margin:0 0 4px}p{margin:0 0 16px}.soft{color:var(--soft);font-size:13px}
fieldset{border:0;border-top:1px solid var(--line);margin:0 0 16px;padding:0}legend{padding:0 8px 0 0;font-size:13px;color:var(--soft)}
label{display:flex;gap:12px;align-items:flex-start;padding:8px 0;border-bottom:1px solid var(--line)}input{margin:4px 0 0;accent-color:var(--accent)}
code{font:12px ui-monospace,monospace;color:var(--soft);display:block;overflow-wrap:anywhere}.warn{color:var(--warn);font-size:13px}
.acts{display:flex;gap:8px;justify-content:flex-end}button{font:inherit;padding:8px 16px;border-radius:6px;border:1px solid var(--line);background:transparent;color:var(--ink);cursor:pointer}
button.go{background:var(--accent);border-color:var(--accent);color:var(--on)}button:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:2px}`

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer"><title>${escapeHtml(title)} · Knowledge Vault</title><style>${STYLE}</style></head>
<body><main>${body}</main></body></html>`

// Where the person is sent afterwards is the one thing a client cannot choose freely, so it is shown.
function destination(redirectUri: string): string {
  const url = new URL(redirectUri)
  if (isLoopback(url)) return 'an app on this computer'
  return url.protocol === 'https:' ? url.host : `the app that opens ${url.protocol} links`
}

export function consentPage(view: ConsentView): string {
  const scopes = view.scopes
    .map(
      (scope) =>
        `<label><input type="checkbox" name="grant" value="${scope}" checked><span>${escapeHtml(SCOPE_MEANING[scope])}<code>${scope}</code></span></label>`,
    )
    .join('')
  const hidden = Object.entries({ ...view.fields, csrf: view.csrf })
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('')
  const origin = view.clientHost
    ? `<p class="soft">Identified by ${escapeHtml(view.clientHost)}</p>`
    : '<p class="warn">The app chose this name itself. Go on only if you have just started connecting it.</p>'
  return page(
    `Connect ${view.clientName}`,
    `<h1>Connect ${escapeHtml(view.clientName)}?</h1>${origin}
<p>It asks to use Knowledge Vault as <strong>${escapeHtml(view.userEmail)}</strong>. Afterwards you return to ${escapeHtml(destination(view.redirectUri))}.</p>
<form method="post" action="/oauth/authorize">${hidden}
<fieldset><legend>It may</legend>${scopes}</fieldset>
<p class="soft">You can disconnect it at any time under Settings, Connected apps.</p>
<div class="acts"><button name="decision" value="deny">Cancel</button><button class="go" name="decision" value="allow">Connect</button></div>
</form>`,
  )
}

// Shown instead of a redirect when the redirect address itself cannot be trusted.
export const refusalPage = (reason: string): string =>
  page(
    'Cannot connect',
    `<h1>This app cannot be connected</h1><p>${escapeHtml(reason)}</p><p class="soft">Nothing was granted. Start again from the app.</p>`,
  )

// Chromium applies form-action to the redirect that follows the form, so the client's own address is named.
export function consentPolicy(redirectUri: string | null, styleHash: string): string {
  const target = redirectUri ? new URL(redirectUri) : null
  const allowed = target ? (target.protocol.startsWith('http') ? target.origin : target.protocol) : ''
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action 'self' ${allowed}`.trim(),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

export const CONSENT_STYLE = STYLE
