// The entry of a page: first it takes the link from its address, then it requests the core, then it shows something.
import { render } from 'preact'
import './tokens.css'
import './parts/base.css'
import './frame/root.css'
import { startChatList } from './chat-list/chat-list-state.ts'
import { App, LackScreen } from './frame/app.tsx'
import { startAppearance } from './frame/appearance.ts'
import { startAttention } from './frame/attention.ts'
import { startKeys } from './frame/keys.ts'
import { fetchAhead } from './frame/screens.tsx'
import { lackOf } from './frame/support.ts'
import { startUpdates } from './frame/updates.ts'
import { startLink } from './link/link.ts'
import { readArrival, resumeArrival } from './onboarding/arrival.ts'
import { startAvatars } from './parts/avatar/avatars.ts'
import { fetchAtRest } from './parts/lazy-import.ts'
import { followTime } from './parts/text/time-text.tsx'
import { startRouter } from './router.ts'

function start(): void {
  const root = document.getElementById('app')
  if (!root) throw new Error('the page has no place for the app')
  resumeArrival()
  const lack = lackOf(globalThis)
  if (lack) return render(<LackScreen lack={lack} />, root)
  // Before the router: a link that is opened in a tab of the app is not a route.
  addEventListener('hashchange', readArrival)
  startRouter()
  startLink()
  startAppearance()
  startChatList()
  startAvatars()
  startAttention()
  startKeys()
  startUpdates()
  followTime()
  fetchAhead()
  render(<App />, root)
  fetchAtRest()
}

start()
