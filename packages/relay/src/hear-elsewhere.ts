// What other relays on the same data have done counts here as well: a device that went there, an account that is shut out.
import { type AccountId, inBackground } from '@postern/protocol'
import type { BlobUploads } from './blobs/upload-blob.ts'
import type { RelayParts } from './connections/relay-parts.ts'
import type { SocketServer } from './connections/socket-server.ts'
import type { Elsewhere, News } from './store/elsewhere.ts'

type Here = { parts: RelayParts; sockets: SocketServer; uploads: BlobUploads }

export const hearElsewhere = (elsewhere: Elsewhere, here: Here): void => elsewhere.listen(news => hear(news, here))

function hear(news: News, here: Here): void {
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
    case 'missed':
      return inBackground(readBansAgain(here), { what: 'bans could not be read again', log: parts.log })
    default:
      return news satisfies never
  }
}

async function readBansAgain(here: Here): Promise<void> {
  for (const account of await here.parts.bans.readAgain()) shutOut(account, here)
}

function shutOut(account: AccountId, { sockets, uploads }: Here): void {
  sockets.shutOut(account)
  uploads.abortOf(account)
}
