// The texts of the gallery of a chat.
import { inLanguages } from '../i18n/language.ts'

export const galleryWords = inLanguages({
  en: {
    title: 'Media, files and links',
    kinds: { seen: 'Media', files: 'Files', voices: 'Voice', links: 'Links' },
    none: {
      seen: 'No photos or videos yet',
      files: 'No files yet',
      voices: 'No voice messages yet',
      links: 'No links yet',
    },
    photo: (name: string, when: string) => `View photo from ${name}, ${when}`,
    video: (name: string, when: string) => `View video from ${name}, ${when}`,
    inChat: 'Show in chat',
  },
  ru: {
    title: 'Медиа, файлы и ссылки',
    kinds: { seen: 'Медиа', files: 'Файлы', voices: 'Голосовые', links: 'Ссылки' },
    none: {
      seen: 'Фото и видео пока нет',
      files: 'Файлов пока нет',
      voices: 'Голосовых сообщений пока нет',
      links: 'Ссылок пока нет',
    },
    photo: (name: string, when: string) => `Показать фото: ${name}, ${when}`,
    video: (name: string, when: string) => `Показать видео: ${name}, ${when}`,
    inChat: 'Показать в чате',
  },
})
