// People for screens: the account itself, others, and possible group members.
import { type AccountId, isAccountId } from '@postern/protocol'
import type { AskedJoinView, OwnProfile, Person, PersonDetail } from '../../contract/objects.ts'
import type { Account } from '../account/open-account.ts'
import { commandOf } from './read-chats.ts'

export function readMe({ client }: Account): OwnProfile {
  const { id, name, about, inviteUrl } = client.identity.me()
  const { avatar } = client.identity.profileOf(id)
  return { id, name, about, inviteUrl, ...(avatar !== undefined && { avatar }) }
}

export function readPerson({ client }: Account, account: AccountId): PersonDetail {
  const { id, name, about, bot, avatar, commands, verified } = client.identity.profileOf(account)
  const groups = client.chats
    .list()
    .filter(chat => chat.type === 'group' && chat.state === 'active')
    .filter(chat => chat.members.some(member => member.id === account))
  return {
    id,
    name,
    about,
    bot,
    ...(avatar !== undefined && isMet(client, account) && { avatar }),
    commands: commands.map(commandOf),
    verified: verified === true,
    blocked: client.identity.blocked().some(person => person.id === account),
    groups: groups.map(({ id, name }) => ({ id, name })),
  }
}

/** In an accepted chat: of a stranger with a request, only the name is shown. */
const isMet = (client: Account['client'], account: AccountId): boolean =>
  client.chats.list().some(({ state, members }) => state !== 'request' && members.some(({ id }) => id === account))

export function readContacts({ client }: Account): (Person & { bot: boolean })[] {
  return client.chats
    .list()
    .filter(chat => chat.type === 'private' && chat.state === 'active' && !chat.blocked)
    .flatMap(({ id }) => (isAccountId(id) ? [client.identity.profileOf(id)] : []))
    .map(({ id, name, bot }) => ({ id, name, bot }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

export const readAsked = ({ client }: Account): AskedJoinView[] =>
  client.groupLinks.asked().map(({ account, token, title, state }) => ({
    account,
    name: client.identity.profileOf(account).name,
    token,
    title,
    state,
  }))
