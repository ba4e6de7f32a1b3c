// Interprets frames that need not arrive: opened in the lane of their group, judged by their age, and stored nowhere.
import { isMlsError, openEphemeral, rosterOf } from '@postern/mls'
import { clientLimits, inBackground, isCoded } from '@postern/protocol'
import { decodeEphemeral } from '@postern/protocol/content'
import { type EphemeralFrame, readEphemeralHeader } from '@postern/protocol/relay'
import { findChat, isInUse, isMember } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { presentMs } from '../messages/age.ts'

type Receiving = Pick<Core, 'store' | 'groups' | 'typists' | 'clock' | 'elapsed' | 'log'>

export class EphemeralInbox {
  readonly #core: Receiving
  #waiting = 0

  constructor(core: Receiving) {
    this.#core = core
  }

  /** Never throws: a frame that is wrong, too early or one too many is dropped. */
  receive(frame: EphemeralFrame): void {
    if (this.#waiting >= clientLimits.ephemeralWaitingMax) return
    this.#waiting += 1
    const over = this.#open(frame).finally(() => {
      this.#waiting -= 1
    })
    inBackground(over, { what: 'ephemeral frame not read', log: this.#core.log })
  }

  async #open(frame: EphemeralFrame): Promise<void> {
    try {
      await openFrame(this.#core, frame)
    } catch (error) {
      // Forged, of another epoch, or of a group that is gone: as if it had not come.
      if (!isMlsError(error) && !isCoded(error)) throw error
    }
  }
}

async function openFrame(core: Receiving, { sender, payload }: EphemeralFrame): Promise<void> {
  const { group } = readEphemeralHeader(payload)
  if (!core.groups.has(group) || core.groups.isKeyless(group) || !core.typists.mayRead(`${group} ${sender}`)) return
  await core.groups.run(group, async live => {
    const { plaintext, senderLeaf } = await openEphemeral(live.session, payload)
    // The relay names the sender, by which the frames are counted; the signature proves it.
    if (rosterOf(live.session).get(senderLeaf)?.accountId !== sender) return
    const row = findChat(core.store, live.chat)
    if (row?.group_id !== group || !isInUse(row) || !isMember(core.store, live.chat, sender)) return
    const content = decodeEphemeral(plaintext)
    if (!content) return
    const { ts, body } = content
    const draft = body.kind === 'draft' ? body : undefined
    core.typists.typed({ chat: live.chat, account: sender, ts, ageMs: presentMs(core) - ts, draft })
  })
}
