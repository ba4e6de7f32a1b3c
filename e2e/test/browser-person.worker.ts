// A person in a browser's worker, controlled by a test.
import { type BrowserClient, forgetBrowserAccount, openBrowserClient } from '@postern/core/browser'
import { type ChatId, fromBase64Url, type MessageId, toBase64Url, utf8 } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { answerCalls } from '@postern/testkit/browser-worker'
import type { BrowserBackup, BrowserOpening, RefusedFiles } from './browser-calls.ts'

const WITHIN = { timeoutMs: 60_000 }
let opened: BrowserClient | undefined

function own(): BrowserClient {
  if (!opened) throw new Error('nothing is open')
  return opened
}

const once = (key: string) => ({ ...WITHIN, idempotency: { key, request: utf8(key) } })

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001)
}

type HandleMaker = { createSyncAccessHandle(this: FileSystemFileHandle): Promise<unknown> }

/** Refuses a number of openings of files, after some that succeed. Files of SQLite's own trials begin with a dot. */
function refuseFiles({ after, count, error }: RefusedFiles): void {
  const prototype = FileSystemFileHandle.prototype as unknown as HandleMaker
  const { createSyncAccessHandle } = prototype
  let opened = 0
  prototype.createSyncAccessHandle = async function (this: FileSystemFileHandle) {
    if (!this.name.startsWith('.')) opened += 1
    if (!this.name.startsWith('.') && opened > after && opened <= after + count)
      throw new DOMException('refused', error)
    return await createSyncAccessHandle.call(this)
  }
}

const digestOf = async (bytes: Uint8Array): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes.slice())))

answerCalls({
  async open({ directory, relayUrl, name, restored }: BrowserOpening) {
    opened = await openBrowserClient({
      directory,
      acceptRequests: 'all',
      firstStart: () => ({ relayUrl, name, bot: false }),
      relayUrl,
      ...(restored && {
        restored: {
          database: fromBase64Url(restored.database) ?? new Uint8Array(),
          key: fromBase64Url(restored.key) ?? new Uint8Array(),
        },
      }),
    })
    opened.client.start()
    return opened.client.account
  },
  online: async () => await own().client.whenOnline(WITHIN),
  openInvite: async (link: string) => (await own().client.chats.open(parseInvite(link), WITHIN)).id,
  say: async (chat: ChatId, text: string) => void (await own().client.messages.sendText(chat, { text }, WITHIN)),
  /** All concurrently, each under its own key. */
  sayAll: async (chat: ChatId, texts: string[]) => {
    await Promise.all(texts.map(text => own().client.messages.sendText(chat, { text }, once(text))))
  },
  texts: (chat: ChatId) =>
    own()
      .client.messages.list(chat, { limit: 100 })
      .map(message => message.text ?? ''),
  async sendFile(chat: ChatId, file: { name: string; bytes: number }) {
    const bytes = new Uint8Array(file.bytes)
    for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
    const { files } = own().client
    const draft = await files.draft(piecesOf(bytes), { to: chat })
    try {
      await files.send(chat, { draft, name: file.name, type: 'application/octet-stream', kind: 'file' }, WITHIN)
      return await digestOf(bytes)
    } finally {
      await draft.discard()
    }
  },
  async fileDigest(chat: ChatId, message: MessageId) {
    const file = await own().client.files.open(chat, message, WITHIN)
    const pieces: Uint8Array[] = []
    for await (const piece of file.read()) pieces.push(piece)
    return await digestOf(new Uint8Array(await new Blob(pieces.map(piece => piece.slice())).arrayBuffer()))
  },
  async copy(): Promise<BrowserBackup> {
    const { database, key } = await own().copy()
    return { database: toBase64Url(database), key: toBase64Url(key) }
  },
  refuseFiles,
  stop: async () => await own().client.stop(),
  forgetEverything: async () => await own().forgetEverything(),
  /** As a browser does that needs the space: the key stays. */
  clearFiles: async (directory: string) =>
    await (await navigator.storage.getDirectory()).removeEntry(directory, { recursive: true }),
  forgetAccount: async (directory: string) => await forgetBrowserAccount(directory),
  folders: async () => await Array.fromAsync((await navigator.storage.getDirectory()).keys()),
})
