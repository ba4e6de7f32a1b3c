// The browser's features that a link uses.
import { systemClock } from '@postern/protocol'
import { BUILD } from '../contract/build.ts'
import { LOCK, type ToPage } from '../contract/messages.ts'
import type { LinkEnvironment } from './environment.ts'
import { reloadPage } from './reload.ts'
import { startCoreWorker } from './scripts.ts'

export const browserEnvironment: LinkEnvironment = {
  clock: systemClock,
  build: BUILD,
  get memory() {
    return sessionStorage
  },
  isVisible: () => document.visibilityState === 'visible',
  newId: () => crypto.randomUUID(),
  openChannel(name, hear) {
    const channel = new BroadcastChannel(name)
    channel.addEventListener('message', ({ data }: MessageEvent<Parameters<typeof hear>[0]>) => hear(data))
    return channel
  },
  startWorker({ hear, fail }) {
    const worker = startCoreWorker()
    worker.addEventListener('message', ({ data }: MessageEvent<ToPage>) => hear(data))
    worker.addEventListener('error', event => {
      event.preventDefault()
      fail()
    })
    return worker
  },
  requestLock: (wish, hold) => navigator.locks.request(LOCK, wish, hold),
  reload: reloadPage,
}
