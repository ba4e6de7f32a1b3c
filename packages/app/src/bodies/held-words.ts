// Why a photo is not shown automatically, and what the person can do about it.
import { inLanguages, language } from '../i18n/language.ts'
import { sizeOf } from '../i18n/sizes.ts'
import type { PhotoHold } from './held-photo.ts'

const words = inLanguages({
  en: {
    large: (size: string, memory: string) =>
      `Very large picture: ${size} pixels. Showing it needs ${memory} of memory.`,
    otherSize: 'Not opened: its size differs from what the sender declared.',
    moves: 'Animated picture.',
    unknown: 'This picture cannot be shown here. Save it to open it in another app.',
    showAnyway: 'Show anyway',
    show: 'Show',
    save: 'Save',
  },
  ru: {
    large: (size: string, memory: string) =>
      `Очень большая картинка: ${size} пикселей. Чтобы показать её, нужно ${memory} памяти.`,
    otherSize: 'Размер не тот, что указал отправитель, поэтому картинка не открыта.',
    moves: 'Движущаяся картинка.',
    unknown: 'Эту картинку нельзя показать здесь. Сохраните её и откройте в другой программе.',
    showAnyway: 'Всё равно показать',
    show: 'Показать',
    save: 'Сохранить',
  },
})

export function holdWords(hold: PhotoHold): { text: string; action: string } {
  const w = words.value
  switch (hold.why) {
    case 'large':
      return { text: w.large(pixelsOf(hold), sizeOf(hold.memoryBytes)), action: w.showAnyway }
    case 'other-size':
      return { text: w.otherSize, action: w.showAnyway }
    case 'moves':
      return { text: w.moves, action: w.show }
    case 'unknown':
      return { text: w.unknown, action: w.save }
  }
}

/** `20,000 × 20,000`, without a line break. */
function pixelsOf({ width, height }: { width: number; height: number }): string {
  const number = new Intl.NumberFormat(language.value)
  return `${number.format(width)}\u00a0×\u00a0${number.format(height)}`
}
