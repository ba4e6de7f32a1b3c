// The pictures of people, read once and kept until somebody's profile changes: a list of chats asks for all of them.
import type { Client } from '@postern/core'
import type { AccountId } from '@postern/protocol'

export class Faces {
  readonly #client: Pick<Client, 'identity'>
  readonly #avatars = new Map<AccountId, string | undefined>()

  constructor(client: Pick<Client, 'identity'>) {
    this.#client = client
  }

  of(account: AccountId): { avatar?: string } {
    if (!this.#avatars.has(account)) this.#avatars.set(account, this.#client.identity.profileOf(account).avatar)
    const avatar = this.#avatars.get(account)
    return avatar === undefined ? {} : { avatar }
  }

  forget(): void {
    this.#avatars.clear()
  }
}
