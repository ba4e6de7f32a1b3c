// What other relays on the same data have done counts here as well: a device that went there, an account that is shut out.
import { type AccountId, postgresLimits } from '@postern/protocol'
import type { BlobUploads } from '../blobs/upload-blob.ts'
import type { SocketServer } from '../connections/socket-server.ts'
import type { RelayContext } from '../context.ts'
import type { PeerEvent, PeerEvents } from '../store/peer-events.ts'

type Here = { parts: RelayContext; sockets: SocketServer; uploads: BlobUploads }

export function applyPeerEvents(peerEvents: PeerEvents, here: Here): void {
  here.parts.bans.onShutOut(account => shutOut(account, here))
  peerEvents.listen({ hear: news => hear(news, here), readAgain: () => readAgain(here) })
}

function hear(news: PeerEvent, here: Here): void {
  const { parts, sockets } = here
  switch (news.kind) {
    case 'device-claimed':
      return sockets.deviceClaimed(news.fence)
    case 'serial-raised':
      return sockets.serialRaised(news.account, news.serial)
    case 'banned':
      parts.bans.noteElsewhere(news.account, 'banned')
      return shutOut(news.account, here)
    case 'unbanned':
      return parts.bans.noteElsewhere(news.account, 'unbanned')
    default:
      return news satisfies never
  }
}

/** Whoever comes meanwhile is heard of again: those who were here before are all that has to be asked for. */
async function readAgain(here: Here): Promise<void> {
  const { parts, sockets } = here
  // The fence last: it ends with a ban and a serial, too, and whoever is cut off by it alone is told the wrong reason.
  for (const account of await parts.bans.readAgain()) shutOut(account, here)
  const { devicesPerQuery } = postgresLimits
  const devices = sockets.devices()
  for (let at = 0; at < devices.length; at += devicesPerQuery)
    for (const { fence, account, serial } of await parts.store.standingOf(devices.slice(at, at + devicesPerQuery))) {
      sockets.serialRaised(account, serial)
      sockets.deviceClaimed(fence)
    }
}

function shutOut(account: AccountId, { sockets, uploads }: Here): void {
  sockets.shutOut(account)
  uploads.abortOf(account)
}
