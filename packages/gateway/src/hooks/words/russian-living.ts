// The words of living messages: alerts and pipelines whose message follows them, in Russian.
import { russianDuration } from './russian-senders.ts'

const pad = (number: number): string => String(number).padStart(2, '0')

/** The time of day, with the day unless it is today. In the time zone of the process. */
export function shownTime(ms: number, nowMs: number): string {
  const [date, now] = [new Date(ms), new Date(nowMs)]
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}`
  return date.toDateString() === now.toDateString()
    ? time
    : `${pad(date.getDate())}.${pad(date.getMonth() + 1)} ${time}`
}

const units = { m: 'мин', h: 'ч', d: 'дн' } as const

export type SilenceUnit = keyof typeof units

export const russianLiving = {
  /** `firing` of `all`, once some are resolved. */
  count: ({ firing, all }: { firing: number; all: number }): string =>
    firing === all ? `${all}` : `${firing} из ${all}`,
  fires: (ms: number): string => `, ${russianDuration(ms)}`,
  fired: (ms: number): string => `, был ${russianDuration(ms)}`,
  lasted: (ms: number): string => `, ${russianDuration(ms)}`,
  still: (ms: number): string => `⏰ Уже ${russianDuration(ms)}`,
  more: (count: number): string => `и ещё ${count}`,
  until: (time: string): string => `🔕 до ${time}`,
  take: 'Беру',
  silence: (count: number, unit: SilenceUnit): string => `Тишина ${count} ${units[unit]}`,
  unsilence: 'Снять тишину',
  open: 'Открыть',
  toasts: {
    taken: 'Вы взяли это на себя',
    takenBy: (name: string): string => `Это взял на себя ${name}`,
    givenBack: 'Больше не на вас',
    silenced: (time: string): string => `Тишина до ${time}`,
    unsilenced: 'Тишина снята',
    away: 'Alertmanager не отвечает',
    refused: 'Alertmanager отклонил запрос',
    over: 'Уже устранено',
    notAllowed: 'Это могут только владельцы бота и те, кого они назвали',
  },
  pipeline: {
    running: (project: string): string => `⏳ Пайплайн идёт: ${project}`,
    waiting: (project: string): string => `✋ Пайплайн ждёт ручного запуска: ${project}`,
    failed: (project: string): string => `❌ Пайплайн упал: ${project}`,
    canceled: (project: string): string => `🚫 Пайплайн отменён: ${project}`,
    success: (project: string): string => `✅ Пайплайн прошёл: ${project}`,
  },
}
