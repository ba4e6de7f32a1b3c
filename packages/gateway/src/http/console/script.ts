// The script of the console as text. Words of people reach the page as text nodes alone.
import { gatewayLimits } from '@postern/protocol'
import { HOOKS_SCRIPT } from './hooks-script.ts'

export const CONSOLE_SCRIPT = `const KEPT = 'postern-token'
const SHOWN_MAX = ${gatewayLimits.consoleUpdatesMax}
const PREVIEW_CHARS = 80
const REFRESH_MS = ${gatewayLimits.consoleRefreshMs}
const FIELDS = { message: 'message', edited: 'message', poll: 'message' }

const at = id => document.getElementById(id)
const base = new URL('.', location.href)
let token = sessionStorage.getItem(KEPT) ?? ''
let session = new AbortController()

class Refused extends Error {}

async function ask(path, { method = 'GET', json, signal = session.signal, headers = {} } = {}) {
  const answer = await fetch(new URL(path, base), {
    method, signal, cache: 'no-store',
    headers: { authorization: 'Bearer ' + token, ...(json && { 'content-type': 'application/json' }), ...headers },
    ...(json && { body: JSON.stringify(json) }),
  })
  if (answer.ok) return answer
  const body = await answer.json().catch(() => ({}))
  // The API's own sentence speaks of a header, which nobody types here.
  const words = answer.status === 401 ? 'This token is wrong, or was revoked.' : body.error
  const fault = new Refused(words ?? 'The gateway answered ' + answer.status + '.')
  fault.status = answer.status
  throw fault
}
const get = async path => (await ask(path)).json()

function facts(list, rows) {
  list.replaceChildren(...rows.flatMap(([name, value, isBad]) => {
    const [term, words] = [document.createElement('dt'), document.createElement('dd')]
    term.textContent = name
    words.textContent = value
    if (isBad) words.className = 'bad'
    return [term, words]
  }))
}

/** A status that is set again is read aloud again. */
function say(id, words) {
  if (at(id).textContent !== words) at(id).textContent = words
}

const time = ts => new Date(ts).toLocaleTimeString()
const bytes = n => n >= 1e9 ? (n / 1e9).toFixed(1) + ' GB' : (n / 1e6).toFixed(1) + ' MB'

/** The samples of Prometheus's text format, summed by name, and those with a label by name and label. */
function samplesIn(text) {
  const samples = new Map()
  for (const line of text.split('\\n')) {
    const [, name, labels = '', value] = /^(\\w+)(\\{.*\\})? (\\S+)$/.exec(line) ?? []
    if (name) samples.set(name + labels, Number(value))
  }
  return samples
}

const readSamples = async () => samplesIn(await (await ask('v1/metrics')).text())

async function showStatus() {
  const ready = await fetch(new URL('readyz', base), { cache: 'no-store', signal: session.signal })
  const isOnline = ready.ok
  say('connection', isOnline ? 'Online' : 'Offline')
  const samples = await readSamples()
  const version = [...samples.keys()].map(key => /version="([^"]*)"/.exec(key)?.[1]).find(Boolean)
  const sum = name => samples.get(name) ?? 0
  const failed = sum('postern_sends_total{outcome="failed"}') + sum('postern_sends_total{outcome="unavailable"}')
  const free = samples.get('postern_disk_free_bytes')
  facts(at('status'), [
    ['Relay', isOnline ? 'connected' : (await ready.json()).error, !isOnline],
    ['Messages sent', String(sum('postern_sends_total{outcome="sent"}'))],
    ['Sends that failed', String(failed), failed > 0],
    ...(free === undefined ? [] : [['Free disk space', bytes(free)]]),
    ...(version ? [['Version', version]] : []),
  ])
}

async function showBot() {
  const me = await get('v1/me')
  at('bot-name').textContent = me.name
  if (at('bot-link').textContent === me.invite_url) return
  at('bot-link').textContent = me.invite_url
  const code = await (await ask('console/invite.svg')).blob()
  URL.revokeObjectURL(at('bot-code').src)
  at('bot-code').src = URL.createObjectURL(code)
  at('bot-code').hidden = false
}

async function showDelivery() {
  // A token that may not read metrics cannot know whether the bot only sends.
  const [status, samples] = await Promise.all([get('v1/webhook'), readSamples().catch(() => undefined)])
  const { enabled, paused, pending, last_error, last_error_ts, next_attempt_ts } = status
  const isOff = samples !== undefined && !samples.has('postern_updates_pending')
  at('retry').hidden = !enabled || paused === true || next_attempt_ts === undefined
  facts(at('delivery'), [
    ['Mode', enabled ? (paused ? 'webhook, paused' : 'webhook') : isOff ? 'off, the bot only sends' : 'polling'],
    ...(isOff ? [] : [['Updates that wait', String(pending)]]),
    ...(last_error === undefined ? [] : [['Last error', last_error, true], ['Failed at', time(last_error_ts)]]),
    ...(next_attempt_ts === undefined ? [] : [['Next attempt', time(next_attempt_ts)]]),
  ])
}

${HOOKS_SCRIPT}
let chats = []
const nameOf = id => chats.find(chat => chat.id === id)?.name ?? id

async function showChats() {
  chats = (await get('v1/chats')).filter(({ state }) => state === 'active')
  const chosen = at('chat').value
  at('chat').replaceChildren(...chats.map(({ id, name }) => new Option(name, id, false, id === chosen)))
  const wanted = at('hook-chat').value
  at('hook-chat').replaceChildren(...chats.map(({ id, name }) => new Option(name, id, false, id === wanted)))
  showCurl()
}

const word = text => "'" + text.replaceAll("'", "'\\\\''") + "'"
function showCurl() {
  const chat = at('chat').value
  const send = new URL('v1/chats/' + chat + '/messages', base)
  at('curl').textContent = chat === '' ? 'No chat yet: open the invite link first.' :
    'curl -H "Authorization: Bearer $BOT_TOKEN" -H "Content-Type: application/json" \\\\\\n  -d ' +
    word(JSON.stringify({ text: at('text').value })) + ' ' + send
}

function showUpdate(update) {
  const payload = update[FIELDS[update.type] ?? update.type] ?? {}
  const words = payload.text ?? payload.data ?? payload.emoji ?? payload.code ?? payload.name ?? payload.file?.name ?? ''
  const row = document.createElement('li')
  const details = document.createElement('details')
  const [summary, raw, type, rest] = ['summary', 'pre', 'b', 'span'].map(tag => document.createElement(tag))
  type.textContent = update.type
  rest.textContent = (update.type === 'chat' ? '' : nameOf(update.chat_id) + ': ') + [...String(words)].slice(0, PREVIEW_CHARS).join('')
  rest.dir = 'auto'
  summary.append(type, rest)
  raw.className = 'code'
  raw.textContent = JSON.stringify(update, null, 2)
  details.append(summary, raw)
  row.append(details)
  at('live').prepend(row)
  // A chat that is new, or has another name.
  if (update.type === 'chat') showChats().catch(faultIn('sent'))
  while (at('live').childElementCount > SHOWN_MAX) at('live').lastElementChild.remove()
}

/** A reader of its own: it takes nothing from the bot. It begins with the next update, and the gateway names its place. */
const NEXT_ID = String(Number.MAX_SAFE_INTEGER)
let lastId = NEXT_ID
async function follow(signal) {
  // After a long pause the gateway has removed the reader: a new one would begin behind what came meanwhile.
  const from = lastId === NEXT_ID ? '' : '&from=oldest'
  const answer = await ask('v1/updates/stream?reader=console' + from, { signal, headers: { 'last-event-id': lastId } })
  say('live-state', 'Waiting for updates.')
  await showChats()
  let text = ''
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    text += piece
    const blocks = text.split('\\n\\n')
    text = blocks.pop()
    for (const block of blocks) {
      const [id, data] = ['id: ', 'data: '].map(field => block.split('\\n').find(line => line.startsWith(field))?.slice(field.length))
      if (id === undefined) continue
      lastId = id
      if (data !== undefined) showUpdate(JSON.parse(data))
    }
  }
}

const pause = (ms, signal) => new Promise(done => {
  const timer = setTimeout(done, ms)
  signal.addEventListener('abort', () => { clearTimeout(timer); done() })
})

async function keepFollowing(signal) {
  while (!signal.aborted) {
    let pauseMs = 50
    try { await follow(signal) } catch (fault) {
      pauseMs = 1000
      if (signal.aborted) return
      if (fault.status === 401) return leave(fault.message)
      at('live-state').textContent = fault instanceof Refused ? fault.message : 'The stream ended. Trying again.'
      if (fault.status === 403) return
    }
    await pause(pauseMs, signal)
  }
}

const cards = [['status', showStatus], ['bot', showBot], ['delivery', showDelivery], ['hooks', showHooks]]
async function refresh() {
  // A token without a scope sees the other cards all the same.
  await Promise.all(cards.map(([name, show]) => show().catch(faultIn(name === 'bot' ? 'bot-link' : name === 'hooks' ? 'hooks-state' : name))))
}

const faultIn = id => fault => {
  if (session.signal.aborted) return
  if (fault.status === 401) return leave(fault.message)
  if (!(fault instanceof Refused)) say('connection', 'The gateway cannot be reached')
  else if (at(id).tagName === 'DL') facts(at(id), [['Not shown', fault.message, true]])
  else say(id, fault.message)
}

async function enter() {
  session = new AbortController()
  const { signal } = session
  at('login').hidden = true
  at('cards').hidden = false
  at('leave').hidden = false
  // Names of chats first: the others show them.
  await showChats().catch(faultIn('sent'))
  void keepFollowing(signal)
  while (!signal.aborted) {
    await refresh()
    await pause(REFRESH_MS, signal)
  }
}

function leave(why = '') {
  session.abort()
  token = ''
  sessionStorage.removeItem(KEPT)
  for (const id of ['status', 'delivery', 'live', 'hooks', 'chat', 'hook-chat']) at(id).replaceChildren()
  for (const id of ['bot-name', 'bot-link', 'copied', 'curl', 'connection', 'dry-answer', 'sent', 'made', 'made-address'])
    at(id).textContent = ''
  URL.revokeObjectURL(at('bot-code').src)
  at('bot-code').hidden = true
  at('address').value = ''
  at('cards').hidden = true
  at('leave').hidden = true
  at('login').hidden = false
  at('login-fault').textContent = why
  at('token').focus()
}

const on = (id, type, act, place) => at(id).addEventListener(type, event => {
  event.preventDefault()
  Promise.resolve(act()).catch(faultIn(place))
})
on('login', 'submit', async () => {
  token = at('token').value.trim()
  at('token').value = ''
  at('login-fault').textContent = ''
  try {
    // A token without read is a right one, too.
    await ask('v1/me', { signal: undefined }).catch(fault => { if (fault.status !== 403) throw fault })
  } catch (fault) {
    token = ''
    at('login-fault').textContent = fault instanceof Refused ? fault.message : 'The gateway cannot be reached.'
    return
  }
  sessionStorage.setItem(KEPT, token)
  void enter()
}, 'login-fault')
on('leave', 'click', () => leave(), 'login-fault')
on('copy-link', 'click', async () => {
  // Browsers lend the clipboard to secure pages alone: to those of this machine, and over TLS.
  const isCopied = await navigator.clipboard?.writeText(at('bot-link').textContent).then(() => true, () => false)
  if (!isCopied) getSelection().selectAllChildren(at('bot-link'))
  say('copied', isCopied ? 'Copied' : 'Selected: copy it with your keyboard.')
}, 'bot-link')
on('retry', 'click', async () => {
  await ask('v1/webhook/retry', { method: 'POST' })
  await showDelivery()
}, 'delivery')
on('send', 'submit', async () => {
  try {
    await ask('v1/chats/' + at('chat').value + '/messages', { method: 'POST', json: { text: at('text').value } })
    at('sent').textContent = 'Sent at ' + time(Date.now())
    void refresh()
  } catch (fault) {
    at('sent').textContent = fault.message
  }
})
on('make', 'submit', async () => {
  const made = await (await ask('v1/hooks', {
    method: 'POST', json: { chat_id: at('hook-chat').value, format: at('format').value },
  })).json()
  at('made').textContent = 'This address is shown once:'
  at('made-address').textContent = made.url
  at('address').value = made.url
  await showHooks()
}, 'made')
for (const id of ['chat', 'text']) at(id).addEventListener('input', showCurl)
on('dry', 'submit', async () => {
  const secret = at('address').value.trim().split(/[?#]/)[0].split('/').at(-1)
  const body = at('body').value
  const answer = await fetch(new URL('hooks/' + encodeURIComponent(secret) + '?dry_run=1', base), {
    method: 'POST', headers: { 'content-type': /^\\s*[{[]/.test(body) ? 'application/json' : 'text/plain' }, body,
  })
  const text = await answer.text()
  try { at('dry-answer').textContent = JSON.stringify(JSON.parse(text), null, 2) } catch { at('dry-answer').textContent = text }
}, 'dry-answer')
if (token !== '') void enter()
`
