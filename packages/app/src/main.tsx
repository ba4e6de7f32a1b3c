// The entry of a page: it checks the browser, takes the link from its address, shows something, and requests the core.
import { render } from 'preact'
import './tokens.css'
import './parts/base.css'
import './frame/root.css'
import { startChatList } from './chat-list/chat-list-state.ts'
import { App, FirstForm, LackScreen } from './frame/app.tsx'
import { startAppearance } from './frame/appearance.ts'
import { startAttention } from './frame/attention.ts'
import { startInputMode } from './frame/input-mode.ts'
import { startKeys } from './frame/keys.ts'
import { looksNew, welcome } from './frame/newcomer.ts'
import { fetchAhead } from './frame/screens.tsx'
import { lackOf } from './frame/support.ts'
import { startUpdates } from './frame/updates.ts'
import { startInstall } from './install/install-event.ts'
import { startLink, watch } from './link/link.ts'
import { readArrival, resumeArrival } from './onboarding/arrival.ts'
import { begin } from './parts/attempt.ts'
import { startAvatars } from './parts/avatar/avatars.ts'
import { fetchAtRest, lazyImport } from './parts/lazy-import.ts'
import { followTime } from './parts/text/time-text.tsx'
import { startRouter } from './router.ts'

function start(): void {
  const root = document.getElementById('app')
  if (!root) throw new Error('the page has no place for the app')
  const lack = lackOf(globalThis)
  // A link stays in the address: the person takes it to another browser, or loads the page again.
  if (lack) return render(<LackScreen lack={lack} />, root)
  startInstall()
  resumeArrival()
  // Before the router: a link that is opened in a tab of the app is not a route.
  addEventListener('hashchange', readArrival)
  startRouter()
  startAppearance()
  startChatList()
  startAvatars()
  startAttention()
  startInputMode()
  startKeys()
  followTime()
  render(<App />, root)
  begin(startCore())
}

/**
 * A newcomer has the first form before the core: the core and its database are ten times as large, and would take the
 * line from it.
 */
async function startCore(): Promise<void> {
  const isNew = await looksNew(globalThis).catch(() => false)
  if (!isNew) {
    startLink()
    return startRest()
  }
  await FirstForm.fetch()
  welcome()
  startLink()
  const stop = watch('stage', [], ({ kind }) => {
    if (kind === 'starting') return
    stop()
    startRest()
  })
}

/** No first screen needs these. */
function startRest(): void {
  startUpdates()
  // Nobody waits for it: a subscription is renewed when the page is idle.
  lazyImport(async () => (await import('./push/follow-push.ts')).startPush())
  lazyImport(async () => (await import('./frame/activity.ts')).startActivity())
  fetchAhead()
  fetchAtRest()
}

start()
