// The texts around a picture that can be changed.
import { inLanguages } from '../../i18n/language.ts'

export const pictureWords = inLanguages({
  en: {
    choose: 'Choose picture',
    remove: 'Remove picture',
    notAPicture: 'This file is not a picture, or it is too large.',
  },
  ru: {
    choose: 'Выбрать фото',
    remove: 'Убрать фото',
    notAPicture: 'Этот файл — не изображение или слишком большой.',
  },
})
