// The texts of the strip with the people who ask for a place in a group.
import { inLanguages, plural } from '../../i18n/language.ts'

export const joinWords = inLanguages({
  en: {
    requests: 'Requests to join',
    wants: 'wants to join',
    add: 'Add',
    decline: 'Decline',
    more: (count: number) => plural(count, { one: '# more request', other: '# more requests' }),
  },
  ru: {
    requests: 'Заявки на вступление',
    wants: 'просит принять',
    add: 'Добавить',
    decline: 'Отклонить',
    more: (count: number) =>
      plural(count, { one: 'Ещё # заявка', few: 'Ещё # заявки', many: 'Ещё # заявок', other: 'Ещё # заявки' }),
  },
})
