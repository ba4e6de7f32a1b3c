// The words of living messages, in English.
import { englishDuration } from './english-senders.ts'
import type { russianLiving } from './russian-living.ts'

const units = { m: 'min', h: 'h', d: 'd' } as const

export const englishLiving: typeof russianLiving = {
  count: ({ firing, all }) => (firing === all ? `${all}` : `${firing} of ${all}`),
  fires: ms => `, ${englishDuration(ms)}`,
  fired: ms => `, was down ${englishDuration(ms)}`,
  lasted: ms => `, ${englishDuration(ms)}`,
  still: ms => `⏰ Still firing, ${englishDuration(ms)}`,
  more: count => `and ${count} more`,
  until: time => `🔕 until ${time}`,
  take: 'Take it',
  silence: (count, unit) => `Silence ${count} ${units[unit]}`,
  unsilence: 'End silence',
  open: 'Open',
  toasts: {
    taken: 'You have taken this',
    takenBy: name => `${name} has taken this`,
    givenBack: 'No longer yours',
    silenced: time => `Silenced until ${time}`,
    unsilenced: 'The silence is over',
    away: 'Alertmanager does not answer',
    refused: 'Alertmanager refused the request',
    over: 'Already resolved',
    notAllowed: 'Only the owners of the bot, and people whom they name, can do this',
  },
  pipeline: {
    running: project => `⏳ Pipeline running: ${project}`,
    waiting: project => `✋ Pipeline waits to be started: ${project}`,
    failed: project => `❌ Pipeline failed: ${project}`,
    canceled: project => `🚫 Pipeline canceled: ${project}`,
    success: project => `✅ Pipeline passed: ${project}`,
  },
}
