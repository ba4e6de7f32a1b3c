// The mark that the relay has a push subscription of this device, or may have one.
import type { Client } from '@postern/core'

const SHELF = 'push'
const KEY = 'subscribed'

export const isPushed = (client: Client): boolean => client.records(SHELF).get(KEY) !== undefined

export async function markPushed(client: Client, pushed: boolean): Promise<void> {
  if (pushed !== isPushed(client))
    await client.records(SHELF).change({ key: KEY, ...(pushed ? { put: '1' } : { remove: true }) })
}
