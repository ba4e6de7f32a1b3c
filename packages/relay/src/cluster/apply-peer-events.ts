// Applies events of other relays on the same data: a device that connected there, an account that was shut out.
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
    case 'ephemeral':
      return parts.ephemeral.hear(news)
    default:
      return news satisfies never
  }
}

/** Connections that arrive in the meantime receive the events; only those that were here before need this query. */
async function readAgain(here: Here): Promise<void> {
  const { parts, sockets } = here
  // The fence comes last:
  // a ban and a raised serial move it too, and a client cut off by the fence alone gets the wrong reason.
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
