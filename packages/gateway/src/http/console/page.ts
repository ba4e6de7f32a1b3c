// The console as text: its page and its style, in the colours of the app. Its script is beside it.
import { hookFormat } from '@postern/bot-api'

/** A template is more than a form of two fields. */
const formats = hookFormat.options.filter(format => format !== 'template')

const LINK = '<a href="reference">API reference</a>'

/** Relative addresses, so that the page works under any path of a proxy. Its data comes from the API alone. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Postern: console</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="console/page.css">
    <script type="module" src="console/page.js"></script>
  </head>
  <body>
    <header>
      <h1>Postern</h1>
      <span id="connection" role="status"></span>
      ${LINK}
      <button id="leave" type="button" hidden>Log out</button>
    </header>
    <noscript>This page needs JavaScript. The same is available from the API.</noscript>
    <main>
      <form id="login" class="card">
        <h2>Log in</h2>
        <p>Type BOT_TOKEN, or a token with fewer rights. It stays in this tab and is gone with it.</p>
        <label for="token">Token</label>
        <input id="token" type="password" autocomplete="off" spellcheck="false" required>
        <button type="submit" class="main">Log in</button>
        <p id="login-fault" class="fault" role="alert"></p>
      </form>
      <div id="cards" hidden>
        <section class="card status" aria-labelledby="status-title">
          <h2 id="status-title">Status</h2>
          <dl id="status"></dl>
        </section>
        <section class="card bot" aria-labelledby="bot-title">
          <h2 id="bot-title">Bot</h2>
          <p id="bot-name" class="name" dir="auto"></p>
          <img id="bot-code" alt="QR code of the invite link" width="184" height="184" hidden>
          <p id="bot-link" class="code"></p>
          <button id="copy-link" type="button">Copy link</button>
          <span id="copied" role="status"></span>
        </section>
        <section class="card delivery" aria-labelledby="delivery-title">
          <h2 id="delivery-title">Delivery</h2>
          <dl id="delivery"></dl>
          <button id="retry" type="button" hidden>Retry now</button>
        </section>
        <section class="card send" aria-labelledby="send-title">
          <h2 id="send-title">Test message</h2>
          <form id="send">
            <label for="chat">Chat</label>
            <select id="chat" required></select>
            <label for="text">Text</label>
            <input id="text" required value="Hello from the console" autocomplete="off">
            <button type="submit" class="main">Send</button>
            <p id="sent" role="status"></p>
          </form>
          <h3>The same with curl</h3>
          <pre id="curl" class="code" tabindex="0" aria-label="The same with curl"></pre>
        </section>
        <section class="card wide" aria-labelledby="live-title">
          <h2 id="live-title">Live updates</h2>
          <p id="live-state" role="status"></p>
          <ol id="live" aria-label="Updates, newest first"></ol>
        </section>
        <section class="card wide" aria-labelledby="hooks-title">
          <h2 id="hooks-title">Hooks</h2>
          <p id="hooks-state"></p>
          <ul id="hooks"></ul>
          <form id="make" hidden>
            <h3>New hook</h3>
            <label for="hook-chat">Chat of the hook</label>
            <select id="hook-chat" required></select>
            <label for="format">Format</label>
            <select id="format" required>${formats.map(format => `<option>${format}</option>`).join('')}</select>
            <button type="submit">Create hook</button>
            <p id="made" role="status"></p>
            <pre id="made-address" class="code" role="group" tabindex="0" aria-label="Address of the new hook"></pre>
          </form>
          <form id="dry" hidden>
            <h3>Dry run</h3>
            <label for="address">Address of a hook</label>
            <input id="address" type="password" autocomplete="off" spellcheck="false" required>
            <label for="body">Post</label>
            <textarea id="body" rows="4" spellcheck="false" required>{"text": "The backup is done."}</textarea>
            <button type="submit">Show what would be written</button>
            <pre id="dry-answer" class="code" role="status" tabindex="0" aria-label="Answer of the dry run"></pre>
          </form>
        </section>
      </div>
    </main>
  </body>
</html>
`

/** `hasReference`: it links to the reference page. */
export const consolePage = ({ hasReference }: { hasReference: boolean }): string =>
  hasReference ? PAGE : PAGE.replace(LINK, '')

export const CONSOLE_STYLE = `:root {
  color-scheme: light dark;
  --ground: light-dark(#efece6, #0e1211); --pane: light-dark(#fbfaf7, #1d2423); --sunken: light-dark(#f1eee8, #101514);
  --line: light-dark(#d8d2c6, #2a3331); --edge: light-dark(#817b70, #7b8a86);
  --ink: light-dark(#1b211f, #e8edeb); --ink-2: light-dark(#575f5b, #a3aeaa);
  --accent: light-dark(#0b6b5d, #5fd0b6); --on-accent: light-dark(#fff, #04201a); --danger: light-dark(#b3261e, #ff9d92);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; white-space: nowrap; max-inline-size: 1080px; margin: auto; padding: 16px; }
h1 { margin: 0; font-size: 20px; }
header [role=status] { flex: 1; color: var(--ink-2); }
main { max-inline-size: 1080px; margin: auto; padding: 0 16px 32px; }
noscript { display: block; padding: 16px; }
#cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); gap: 16px; align-items: start; }
.card { min-inline-size: 0; padding: 16px 18px; border: 1px solid var(--line); border-radius: 12px; background: var(--pane); }
.wide { grid-column: 1 / -1; }
@media (688px <= width < 900px) {
  #cards { grid-template-rows: auto 1fr; }
  .bot { grid-row: span 2; }
  .send { grid-column: 1 / -1; }
}
@media (width >= 900px) {
  #cards { grid-template: auto 1fr / repeat(3, 1fr); }
  .delivery { grid-area: 2 / 1; }
  .bot { grid-area: 1 / 2 / 3; }
  .send { grid-area: 1 / 3 / 3; }
}
#login { max-inline-size: 420px; margin: 8vh auto 0; }
h2 { margin: 0 0 8px; font-size: 16px; }
h3 { margin: 16px 0 4px; font-size: 14px; color: var(--ink-2); }
p { margin: 6px 0; }
label { display: block; margin: 10px 0 4px; color: var(--ink-2); font-size: 13px; }
input, select, textarea, button { font: inherit; color: inherit; }
input, select, textarea { inline-size: 100%; min-block-size: 40px; padding: 8px 10px; border: 1px solid var(--edge); border-radius: 8px; background: var(--sunken); }
textarea { font: 13px/1.4 ui-monospace, monospace; resize: vertical; }
button { min-block-size: 40px; margin-block-start: 12px; padding: 6px 14px; border: 1px solid var(--edge); border-radius: 8px; background: none; cursor: pointer; }
header button { margin: 0 0 0 auto; }
@media (width < 480px) {
  header { gap: 8px; }
  header button { padding-inline: 10px; }
}
button.main { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 16px; margin: 0; }
dt { color: var(--ink-2); }
dd { margin: 0; text-align: end; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.fault, .bad { color: var(--danger); }
.name { font-size: 18px; font-weight: 600; overflow-wrap: anywhere; }
#bot-code { display: block; padding: 8px; border-radius: 8px; background: #fff; }
.code { margin: 6px 0 0; font: 12.5px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; color: var(--ink-2); }
pre.code:not(:empty) { padding: 10px; border-radius: 8px; background: var(--sunken); color: var(--ink); }
ol, ul { margin: 0; padding: 0; list-style: none; }
a { color: var(--accent); }
#hooks li { display: flex; justify-content: space-between; align-items: center; gap: 12px; }
li span { min-inline-size: 0; }
li button { flex: none; min-block-size: 32px; margin: 0; padding: 2px 10px; }
li { padding: 8px 0; border-block-start: 1px solid var(--line); overflow-wrap: anywhere; }
summary { cursor: pointer; }
summary b { margin-inline-end: 8px; }
summary span { color: var(--ink-2); }
`
