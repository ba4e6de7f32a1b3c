// A person's knowledge of their groups, from deliveries and answers: as little as a client that cannot decrypt.
import type { AccountId, GroupId } from '@postern/protocol'
import type { Kept } from '../check/deed.ts'

export type Standing = { epoch: number; isIn: boolean }

export class GroupView {
  readonly #account: AccountId
  readonly #groups = new Map<GroupId, Standing>()

  constructor(account: AccountId) {
    this.#account = account
  }

  /** Undefined for a group that they are not in. */
  epochOf(group: GroupId): number | undefined {
    const standing = this.#groups.get(group)
    return standing?.isIn ? standing.epoch : undefined
  }

  hear(entry: Kept): void {
    const { group, kind, epoch, added, removed } = entry
    if (kind === 'welcome') this.stands(group, { epoch, isIn: true })
    if (kind !== 'commit') return
    const isOut = removed.includes(this.#account) && !added.includes(this.#account)
    this.stands(group, { epoch: epoch + 1, isIn: !isOut })
  }

  /** Updates to newer knowledge. */
  stands(group: GroupId, { epoch, isIn }: Standing): void {
    const before = this.#groups.get(group)?.epoch ?? 0
    if (epoch >= before) this.#groups.set(group, { epoch, isIn })
  }

  /** The relay answered that there is no such group, or they have left it. */
  isOut(group: GroupId): void {
    const standing = this.#groups.get(group)
    if (standing) standing.isIn = false
  }
}
