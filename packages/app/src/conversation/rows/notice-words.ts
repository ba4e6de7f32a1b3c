// The lines of a conversation that nobody wrote, in words: one sentence for each code of a notice.
import type { Notice, Person } from '../../contract/objects.ts'
import { inLanguages, plural } from '../../i18n/language.ts'
import { timerText } from '../../i18n/timers.ts'
import type { IconName } from '../../parts/icons/icon-drawings.ts'
import { isolated } from '../isolate.ts'

export type NoticeLine = { icon?: IconName; text: string; isWarning: boolean }

/** A name, or undefined for the reader: sentences about the reader differ in most languages. */
type Who = string | undefined

const words = inLanguages({
  en: {
    youAmong: 'you',
    created: (who: Who, title: string) => `${who ?? 'You'} created the group ${title}`,
    joined: (who: Who, members: string) => `${who ?? 'You'} added ${members}`,
    botJoined: (who: Who, bots: string) =>
      `${who ?? 'You'} added the bot ${bots}. Its owner receives every message sent here from now on.`,
    botsWithin: (count: number) =>
      plural(count, {
        one: 'There is a bot in this group. Its owner receives every message sent here.',
        other: 'There are # bots in this group. Their owners receive every message sent here.',
      }),
    left: (who: Who) => (who ? `${who} left` : 'You left'),
    removed: (who: Who, members: string) => `${who ?? 'You'} removed ${members}`,
    admins: (who: Who, members: string) => `${who ?? 'You'} made ${members} an admin`,
    noAdmins: (who: Who, members: string) => `${who ?? 'You'} removed ${members} as an admin`,
    renamed: (who: Who, title: string) => `${who ?? 'You'} renamed the group to ${title}`,
    picture: (who: Who) => `${who ?? 'You'} changed the group picture`,
    noPicture: (who: Who) => `${who ?? 'You'} removed the group picture`,
    timer: (who: Who, span: string) => `${who ?? 'You'} set messages to disappear ${span} after they are read`,
    timerOff: (who: Who) => `${who ?? 'You'} turned off disappearing messages`,
    callDeclined: (who: Who) => (who ? `${who} declined the call: bots cannot take calls` : 'Call declined'),
    undecryptable: () => 'A message could not be decrypted. The chat was repaired.',
    keyChanged: (who: Who) =>
      `${who ?? 'You'} now ${who ? 'has' : 'have'} a new device key. Compare safety numbers to make sure who it is.`,
    refused: (who: Who) => `${who ?? 'You'} tried something the group’s rules do not allow. It had no effect.`,
    restarted: () => 'The group now uses new keys',
    restartedWithout: (members: string) => `The group now uses new keys, without ${members}`,
    missing: (who: Who, count: number) =>
      `${plural(count, { one: '# message', other: '# messages' })} from ${who ?? 'you'} did not arrive. The relay is withholding messages.`,
    forked: () => 'The relay showed two versions of this chat. They are one again.',
    cutOff: (members: string) => `The relay stopped delivering messages to ${members}. This is fixed now.`,
    mismatch: () => 'The keys did not belong to the people shown. Nothing was sent with them.',
  },
  ru: {
    youAmong: 'вас',
    created: (who: Who, title: string) => (who ? `${who} создаёт группу «${title}»` : `Вы создали группу «${title}»`),
    joined: (who: Who, members: string) => (who ? `${who} приглашает в группу: ${members}` : `Вы добавили: ${members}`),
    botJoined: (who: Who, bots: string) =>
      `${who ? `${who} приглашает бота` : 'Вы добавили бота'} ${bots}. Его владелец получает все сообщения, которые пишут здесь с этого момента.`,
    botsWithin: (count: number) =>
      count === 1
        ? 'В ней есть бот: его владелец получает все сообщения, которые здесь пишут.'
        : `В ней есть боты (${count}): их владельцы получают все сообщения, которые здесь пишут.`,
    left: (who: Who) => (who ? `${who} больше не в группе` : 'Вы вышли из группы'),
    removed: (who: Who, members: string) =>
      who ? `${who} исключает из группы: ${members}` : `Вы исключили: ${members}`,
    admins: (who: Who, members: string) =>
      who ? `${who} назначает админом: ${members}` : `Вы назначили админом: ${members}`,
    noAdmins: (who: Who, members: string) =>
      who ? `${who} снимает права админа: ${members}` : `Вы сняли права админа: ${members}`,
    renamed: (who: Who, title: string) =>
      who ? `${who} меняет название группы: «${title}»` : `Вы назвали группу «${title}»`,
    picture: (who: Who) => (who ? `${who} меняет фото группы` : 'Вы изменили фото группы'),
    noPicture: (who: Who) => (who ? `${who} убирает фото группы` : 'Вы убрали фото группы'),
    timer: (who: Who, span: string) =>
      `${who ? `${who} включает` : 'Вы включили'} исчезающие сообщения: ${span} после прочтения`,
    timerOff: (who: Who) => `${who ? `${who} выключает` : 'Вы выключили'} исчезающие сообщения`,
    callDeclined: (who: Who) => (who ? `${who}: звонок отклонён, боты не отвечают на звонки` : 'Звонок отклонён'),
    undecryptable: () => 'Одно сообщение не удалось прочитать; чат восстановлен',
    keyChanged: (who: Who) =>
      `${who ? `${who}: у устройства новый ключ` : 'У вашего устройства новый ключ'}. Сверьте коды безопасности, чтобы знать, с кем вы говорите.`,
    refused: (who: Who) => `${who ?? 'Вы'}: действие запрещено правилами группы, его никто не принял`,
    restarted: () => 'Группа продолжается с новыми ключами',
    restartedWithout: (members: string) => `Группа продолжается с новыми ключами; в ней больше нет: ${members}`,
    missing: (who: Who, count: number) =>
      `${who ?? 'Вы'}: ${plural(count, { one: 'не дошло # сообщение', few: 'не дошли # сообщения', other: 'не дошло # сообщений' })} — сервер их удерживает`,
    forked: () => 'Сервер показывал две разные истории этого чата; теперь она снова одна',
    cutOff: (members: string) => `Сервер перестал доставлять сообщения: ${members}. Это исправлено`,
    mismatch: () => 'Ключи не принадлежали тем, кто показан; с ними ничего не отправлено',
  },
})

/** `bots`: accounts of the chat that are known to be bots. */
export function noticeLine(notice: Notice, bots: ReadonlySet<string>, me: string): NoticeLine {
  const w = words.value
  const who = 'from' in notice && notice.from.id !== me ? isolated(notice.from.name) : undefined
  const names = (people: readonly Person[]): string => people.map(one => nameAmong(one, me)).join(', ')
  switch (notice.code) {
    case 'created':
      return createdLine(w.created(who, isolated(notice.text)), bots.size)
    case 'joined':
      return joinedLine(notice, bots, { who, names })
    case 'left':
      return plain(w.left(who))
    case 'removed':
      return plain(w.removed(who, names(notice.members)))
    case 'admins':
      return plain((notice.admin ? w.admins : w.noAdmins)(who, names(notice.members)))
    case 'renamed':
      return plain(w.renamed(who, isolated(notice.text)))
    case 'picture':
      return plain((notice.removed ? w.noPicture : w.picture)(who))
    case 'timer':
      return {
        ...plain(notice.timer_ms === 0 ? w.timerOff(who) : w.timer(who, timerText(notice.timer_ms))),
        icon: 'timer',
      }
    case 'call_declined':
      return { ...plain(w.callDeclined(who)), icon: 'phone-missed' }
    case 'undecryptable':
      return { ...plain(w.undecryptable()), icon: 'refresh-cw' }
    case 'key_changed':
      return warning(w.keyChanged(who))
    case 'refused':
      return warning(w.refused(who))
    case 'restarted':
      return plain(notice.members?.length ? w.restartedWithout(names(notice.members)) : w.restarted())
    case 'missing':
      return warning(w.missing(who, notice.count))
    case 'forked':
      return warning(w.forked())
    case 'cut_off':
      return warning(w.cutOff(names(notice.members)))
    case 'mismatch':
      return warning(w.mismatch())
  }
}

/** A new member of a group learns which bots read along: bots that came with the group have no line of their own. */
const createdLine = (made: string, bots: number): NoticeLine =>
  bots === 0 ? plain(made) : warning(`${made}. ${words.value.botsWithin(bots)}`)

type Telling = { who: Who; names: (people: readonly Person[]) => string }

/** Members have to know that a bot reads along: somebody else may have added it. */
function joinedLine(
  { members }: Extract<Notice, { code: 'joined' }>,
  known: ReadonlySet<string>,
  { who, names }: Telling,
): NoticeLine {
  const isBot = (one: Person & { bot?: boolean | undefined }): boolean => one.bot ?? known.has(one.id)
  const bots = members.filter(isBot)
  if (bots.length === 0) return plain(words.value.joined(who, names(members)))
  const people = members.filter(one => !isBot(one))
  const alsoPeople = people.length > 0 ? `${words.value.joined(who, names(people))}. ` : ''
  return warning(`${alsoPeople}${words.value.botJoined(who, names(bots))}`)
}

const nameAmong = (one: Person, me: string): string => (one.id === me ? words.value.youAmong : isolated(one.name))
const plain = (text: string): NoticeLine => ({ text, isWarning: false })
const warning = (text: string): NoticeLine => ({ icon: 'triangle-alert', text, isWarning: true })
