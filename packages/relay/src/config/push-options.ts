// How an operator sets the pushes.
import type { PushSettings } from '../push/push-desk.ts'
import { hostRefusal } from '../push/push-hosts.ts'
import type { ReadSetting } from './limit-options.ts'
import { listIn, wrong } from './values.ts'

export function pushIn(read: ReadSetting): PushSettings | 'off' {
  const push = read('push') || 'on'
  if (push !== 'on' && push !== 'off') throw wrong('--push', `"${push}" is not one of on, off`)
  const hosts = listIn(read('push-hosts'))
  for (const host of hosts) {
    const refusal = hostRefusal(host)
    if (refusal !== undefined) throw wrong('--push-hosts', `"${host}" ${refusal}`)
  }
  const contact = read('push-contact') || undefined
  if (contact !== undefined && !/^(mailto:.+@.+|https:\/\/.+)$/.test(contact))
    throw wrong('--push-contact', `"${contact}" is neither mailto:NAME@HOST nor https://…`)
  return push === 'off' ? 'off' : { hosts, contact }
}
