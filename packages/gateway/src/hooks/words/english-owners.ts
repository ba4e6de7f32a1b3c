// Messages to the owners of the bot about problems, in English.
import { oneLine } from '../texts/clean.ts'
import { shortened } from '../texts/fit-lines.ts'
import { countedInEnglish } from './plural.ts'
import type { OwnerWords } from './russian-owners.ts'

const quoted = (name: string, charsMax: number): string =>
  `“${shortened(oneLine(name), charsMax).replaceAll('“', '‘').replaceAll('”', '’')}”`

export const englishOwners: OwnerWords = {
  more: count => `…and ${count} more`,
  webhook: {
    fact: ({ failures, waiting }) =>
      `Failed attempts in a row: ${failures}. Waiting: ${countedInEnglish(waiting, 'update')}.`,
    begun: {
      title: '⚠️ The webhook has not accepted updates for more than 10 minutes.',
      advice: 'GET /v1/webhook shows the reason.',
    },
    over: { title: '✅ The problem with the webhook is over.' },
  },
  updates: {
    fact: ({ count, hours }) => `Waiting: ${countedInEnglish(count, 'update')}, the oldest for ${hours} h.`,
    begun: {
      title: '⚠️ Updates of the bot will soon be dropped: nobody fetches them.',
      advice:
        'The bot keeps them for 24 hours, and at most 10,000. Check the program that reads them. If there is none, start the gateway with UPDATES=off.',
    },
    over: { title: '✅ Updates of the bot no longer pile up.' },
  },
  disk: {
    fact: ({ freeMib, percent }) => `Free: ${freeMib} MiB, which is ${percent} %.`,
    begun: {
      title: "⚠️ The disk with the bot's data is nearly full.",
      advice: 'On a full disk the bot can neither send nor receive. Free some space.',
    },
    over: { title: "✅ The disk with the bot's data has space again." },
  },
  hooks: {
    fact: ({ hook, chat, count, charsMax }) =>
      `${hook}${chat === undefined ? '' : ` (chat ${quoted(chat, charsMax)})`}: ${countedInEnglish(count, 'refusal')} in a row`,
    begun: { title: '⚠️ A hook rejects its sender:', advice: 'GET /v1/hooks shows the reason.' },
    over: { title: '✅ No longer rejects its sender, or was removed:' },
  },
  invites: {
    fact: ({ id, expires }) => `${id}: until ${expires} UTC`,
    begun: {
      title: '⚠️ A link to the bot will soon expire:',
      advice: 'If you still need it, create a new one with POST /v1/invites.',
    },
    over: { title: '☑️ A link to the bot has expired or was revoked:' },
  },
  certificates: {
    fact: ({ host, ends, isExpired }) => `${host}: ${isExpired ? 'expired' : 'expires'} on ${ends} UTC`,
    begun: {
      title: '⚠️ The certificate of an address that the bot depends on was not renewed:',
      advice: 'Renew it, and find out why that did not happen automatically.',
    },
    over: { title: '✅ A certificate was renewed, or its address is no longer used. The old one:' },
  },
}
