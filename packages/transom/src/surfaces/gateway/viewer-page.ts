import { createHash } from 'node:crypto'

/** Takes the code out of the address, which is the only thing that it may be in, and shows the sessions. */
const SCRIPT = `
const say = (text) => (document.querySelector('p').textContent = text)
const post = (path, body) => fetch(path, {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
})
const code = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
const login = code === '' ? null : await post('/viewer/login', { code })
const answer = login === null || login.ok ? await post('/v1/session.list', {}) : login
const body = await answer.json()
if (!answer.ok) say(answer.status === 401 ? 'Not logged in. Run "transom login" for a new address.' : body.error.message)
else {
  say(body.sessions.length + ' active sessions')
  for (const { session, name, status, command } of body.sessions) {
    const row = document.querySelector('table').insertRow()
    for (const text of [session, name ?? '', status, command.join(' ')]) row.insertCell().textContent = text
  }
}
`

export const VIEWER_PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Transom</title>
<h1>Transom</h1><p>…</p><table></table>
<script type="module">${SCRIPT}</script></html>
`

/** Only this script, only this gateway, in no other page. */
export const VIEWER_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    `default-src 'none'`,
    `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}
