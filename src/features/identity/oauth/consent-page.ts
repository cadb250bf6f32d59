import { html } from '../../pages/html.ts'
import { PAGE_HEADERS, page } from '../../pages/page.ts'
import { type GrantableScope, isOnThisComputer, SCOPE_MEANING } from './oauth.rules.ts'

export type ConsentView = {
  clientName: string
  /** The host that vouches for the name, if one does. */
  clientHost: string | null
  redirectUri: string
  scopes: readonly GrantableScope[]
  userEmail: string
  /** Where somebody else signs in and comes back to this page. */
  otherAccount: string
  /** Everything the form sends back. */
  fields: Record<string, string>
}

/** The redirect address is the one thing that an app cannot make up, so the page shows it. */
function destination(redirectUri: string): string {
  const url = new URL(redirectUri)
  if (isOnThisComputer(url)) return 'an app on this computer'
  return url.protocol === 'https:' ? url.host : `the app that opens ${url.protocol} links`
}

export const consentPage = (view: ConsentView): string =>
  page({
    title: `Connect ${view.clientName}`,
    body: html`<h1>Connect ${view.clientName}?</h1>
${
  view.clientHost
    ? html`<p class="soft">Identified by ${view.clientHost}</p>`
    : html`<p class="warn">The app chose this name itself. Continue only if you have just started connecting it.</p>`
}
<p>It asks to use Knowledge Vault as <strong>${view.userEmail}</strong>. Afterwards you return to ${destination(view.redirectUri)}. <a href="${view.otherAccount}">Use another account</a></p>
<form method="post" action="/oauth/authorize">
${Object.entries(view.fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<section class="panel" aria-label="What it may do">
${view.scopes.map(
  (scope) =>
    html`<label class="choice"><input type="checkbox" name="grant" value="${scope}" checked><span>${SCOPE_MEANING[scope]}<br><span class="badge mono">${scope}</span></span></label>`,
)}
</section>
<p class="soft">You can disconnect it at any time under Settings, Connected apps.</p>
<div class="actions">
<button class="primary" name="decision" value="allow">Connect</button>
<button name="decision" value="deny">Cancel</button>
</div>
</form>`,
  })

/** Shown instead of a redirect if the redirect address cannot be trusted. */
export const refusalPage = (reason: string, backTo?: string): string =>
  page({
    title: 'Cannot connect',
    body: html`<h1>This app cannot be connected</h1>
<p>${reason}</p>
<p class="soft">Nothing was granted. Start again from the app.</p>
${backTo !== undefined && html`<p><a class="button" href="${backTo}">Back to ${destination(backTo)}</a></p>`}`,
  })

/** Chromium applies form-action to the redirect that follows the form, so the app's own address is let through. */
export function consentHeaders(redirectUri: string | null) {
  const target = redirectUri === null ? null : new URL(redirectUri)
  const allowed = target === null ? '' : target.protocol.startsWith('http') ? target.origin : target.protocol
  return {
    ...PAGE_HEADERS,
    'content-security-policy': PAGE_HEADERS['content-security-policy'].replace(
      "form-action 'self'",
      `form-action 'self' ${allowed}`.trim(),
    ),
    'cache-control': 'no-store',
  }
}
