// The account's own profile, invite link and recovery facts, and the profiles and safety numbers of others.
import type { Person } from '@postern/bot-api/objects'
import { type AccountId, CodedError, isCoded, type TimeoutOption } from '@postern/protocol'
import type { Command, Profile, RecoveryFacts } from '@postern/protocol/content'
import { deletionBytes } from '@postern/protocol/relay'
import { findAccountKey } from '../chats/keys/find-account-key.ts'
import { isMemberAnywhere } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { inviteUrl, replaceInvite } from '../identity/account.ts'
import { findPerson, profileOf } from '../identity/people.ts'
import { changeProfile, ownProfile, type ProfileChange, refreshProfile } from '../identity/profile.ts'
import { type SafetyNumber, safetyNumber } from '../identity/safety-number.ts'
import { blockedPeople, isVerified, noteVerified, type Verification } from '../identity/trust.ts'
import { recoveryFacts } from '../recovery/recovery-facts.ts'
import type { Callers } from './callers.ts'

export type Me = { id: AccountId; name: string; about: string; commands: Command[]; inviteUrl: string }

/** `verified`: the owner has compared the safety number. */
export type KnownProfile = Profile & { id: AccountId; verified?: boolean }

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

  /** Durable here immediately. The relay receives it when it can be reached, others with the next message. */
  async setProfile(change: ProfileChange): Promise<void> {
    await changeProfile(this.#core.store, this.#core.own, change)
    this.#core.wakeChores()
  }

  /**
   * A new invite link; a person who uses an older one is a stranger from now on.
   * Callers that ask at the same time get the same link.
   */
  async newInvite(): Promise<Me> {
    this.#newInvite ??= replaceInvite(this.#core).finally(() => {
      this.#newInvite = undefined
    })
    await this.#newInvite
    return this.me()
  }

  /**
   * Deletes the account at the relay permanently: nobody finds it there any more, and no copy of its keys brings it
   * back.
   * Local data stays until it is removed. Also resolves when the relay no longer knows the account.
   */
  async deleteAccount(within: TimeoutOption): Promise<void> {
    const { link, own, provider } = this.#core
    if (isCoded(link.refusal, 'account-unknown')) return
    await link.whenOnline(within.timeoutMs)
    await link.deleteAccount((nonce, audience) =>
      provider.sign(own.secretKey, deletionBytes({ nonce, audience, accountKey: own.publicKey })),
    )
  }

  /** The profile as far as this client knows it. */
  profileOf(account: AccountId): KnownProfile {
    const { store } = this.#core
    return { ...profileOf(store, account), ...(isVerified(store, account) && { verified: true }) }
  }

  /**
   * The same for a person whom this account has met: in a chat, in a group, or by a message that it has kept. Throws
   * `person-not-found` for others.
   */
  knownProfileOf(account: AccountId): KnownProfile {
    const { store } = this.#core
    if (!findPerson(store, account) && !isMemberAnywhere(store, account))
      throw new CodedError('person-not-found', { account })
    return this.profileOf(account)
  }

  /** The current profile, if its key is known and the relay can be reached. */
  async learnProfile(account: AccountId, within: TimeoutOption): Promise<KnownProfile> {
    await this.#core.link.whenOnline(within.timeoutMs)
    const person = findPerson(this.#core.store, account)
    if (person?.profile_key) await refreshProfile(this.#core, person)
    return this.profileOf(account)
  }

  /**
   * How many people that this account does not know it may still write to today, as its relay counts them. Undefined if
   * the relay is older than this program.
   */
  async newPeopleLeft({ timeoutMs }: TimeoutOption): Promise<number | undefined> {
    try {
      return (await this.#core.link.call('newPeopleLeft', {}, timeoutMs)).left
    } catch (error) {
      if (isCoded(error, 'frame-malformed')) return undefined
      throw error
    }
  }

  /** The number that both people compare to make sure that nobody intercepts their chat. */
  async safetyNumber(account: AccountId, within: TimeoutOption): Promise<SafetyNumber & { account: AccountId }> {
    const { provider, own } = this.#core
    this.#assertOther(account)
    const key = await findAccountKey(this.#core, account, this.#callers.deadline(within))
    return { account, ...safetyNumber(provider, own.publicKey, key) }
  }

  /** Remembers that both people have compared the safety number, until that is taken back. */
  async setVerified(account: AccountId, verified: Verification): Promise<void> {
    this.#assertOther(account)
    await this.#core.store.write(database => noteVerified(database, account, verified))
  }

  blocked(): Person[] {
    return blockedPeople(this.#core.store)
  }

  /** Facts from which the account can be rebuilt if its database is lost. Anyone who has them is the account. */
  recovery(): RecoveryFacts {
    return recoveryFacts(this.#core)
  }

  #assertOther(account: AccountId): void {
    if (account === this.#core.own.id)
      throw new CodedError('bad-field', { field: 'account', rule: 'must be another account than your own' })
  }
}
