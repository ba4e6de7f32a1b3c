// The texts of the screen with the link to a group.
import { inLanguages } from '../i18n/language.ts'

export const groupLinkWords = inLanguages({
  en: {
    title: 'Invite link',
    code: 'QR code of the link to this group',
    text: 'Anyone with this link sees your name and picture and the name of the group, and can ask to join. You decide about each request; nobody is added without you.',
    noAdmin: 'Only a group admin can make a link.',
    make: 'Create link',
    revoke: 'Revoke link',
    revokeAsk: 'Revoke this link?',
    revokeText: 'Nobody can ask by it any more. Requests that are waiting are dropped.',
  },
  ru: {
    title: 'Ссылка-приглашение',
    code: 'QR-код ссылки на эту группу',
    text: 'Каждый, у кого есть эта ссылка, видит ваше имя и фото и название группы и может подать заявку. По каждой заявке решаете вы: без вас никто не попадёт в группу.',
    noAdmin: 'Создать ссылку может только администратор группы.',
    make: 'Создать ссылку',
    revoke: 'Отозвать ссылку',
    revokeAsk: 'Отозвать эту ссылку?',
    revokeText: 'Подать по ней заявку больше никто не сможет. Заявки, которые ждут ответа, пропадут.',
  },
})
