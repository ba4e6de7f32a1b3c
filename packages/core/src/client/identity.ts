// Who one is to others, and who they are: profiles, the invite link, safety numbers.
import { type AccountId, CodedError, type Within } from '@postern/protocol'
import type { Command, Profile } from '@postern/protocol/content'
import { findAccountKey } from '../chats/find-account-key.ts'
import type { Core } from '../context.ts'
import { inviteUrl, replaceInvite } from '../identity/account.ts'
import { findPerson, profileOf } from '../identity/people.ts'
import { changeProfile, ownProfile, type ProfileChange, refreshProfile } from '../identity/profile.ts'
import { type SafetyNumber, safetyNumber } from '../identity/safety-number.ts'
import type { Callers } from './callers.ts'

export type Me = { id: AccountId; name: string; about: string; commands: Command[]; inviteUrl: string }

export class ClientIdentity {
  readonly #core: Core
  readonly #callers: Callers
  #newInvite: Promise<void> | undefined

  constructor(core: Core, callers: Callers) {
    this.#core = core
    this.#callers = callers
  }

  me(): Me {
    const { store, own } = this.#core
    const { name, about, commands } = ownProfile(store).profile
    return { id: own.id, name, about, commands, inviteUrl: inviteUrl(own) }
  }

  /** Durable here at once; the relay gets it when it can be reached, others with the next message. */
  async setProfile(change: ProfileChange): Promise<void> {
    await changeProfile(this.#core.store, this.#core.own, change)
    this.#core.poke()
  }

  /** A new invite link: who comes with an older one is a stranger from now on. Those who ask at the same time get the same. */
  async newInvite(): Promise<Me> {
    this.#newInvite ??= replaceInvite(this.#core).finally(() => {
      this.#newInvite = undefined
    })
    await this.#newInvite
    return this.me()
  }

  /** As far as it is known here. */
  profileOf(account: AccountId): Profile & { id: AccountId } {
    return profileOf(this.#core.store, account)
  }

  /** As it is now, if the key to it is known and the relay can be reached. */
  async learnProfile(account: AccountId, within: Within): Promise<Profile & { id: AccountId }> {
    await this.#core.link.whenOnline(within.timeoutMs)
    const person = findPerson(this.#core.store, account)
    if (person?.profile_key) await refreshProfile(this.#core, person)
    return this.profileOf(account)
  }

  /** What both compare to be sure that nobody stands between them. */
  async safetyNumber(account: AccountId, within: Within): Promise<SafetyNumber & { account: AccountId }> {
    const { provider, own } = this.#core
    if (account === own.id)
      throw new CodedError('bad-field', { field: 'account', rule: 'an account has no safety number with itself' })
    const key = await findAccountKey(this.#core, account, this.#callers.deadline(within))
    return { account, ...safetyNumber(provider, own.publicKey, key) }
  }
}
