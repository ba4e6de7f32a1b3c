// Whether devices that are away are notified: by the settings, and by the relay that runs.
import type { RelayConfig, StatusAnswer } from '@postern/relay'
import { type Diagnosis, ok, warn } from './finding.ts'

/** `push`: that of the running relay, which alone knows whether it reaches push services. */
export function checkPush(config: RelayConfig, push: StatusAnswer['push'] | undefined): Diagnosis[] {
  if (config.push === 'off') return [ok('push', 'devices that are away are not notified: --push is off')]
  if (push !== 'unreachable') return [ok('push', 'devices that are away are notified')]
  const text = 'the relay cannot reach push services, so devices that are away are not notified'
  return [warn('push', { text, todo: 'allow it outgoing connections to port 443, or use --push off' })]
}
