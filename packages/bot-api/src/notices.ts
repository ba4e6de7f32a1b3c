// The system lines of a chat: one object for each code, with exactly the fields that it has.
import { z } from 'zod'
import { person } from './objects.ts'

const from = person
const members = z.array(person)

export const notice = z
  .discriminatedUnion('code', [
    z.object({ code: z.literal('created'), from, text: z.string() }).describe('`text` is the title.'),
    z.object({ code: z.literal('joined'), from, members }).describe('`from` has added `members`.'),
    z.object({ code: z.literal('left'), from }).describe('`from` has left.'),
    z.object({ code: z.literal('removed'), from, members }).describe('`from` has removed `members`.'),
    z.object({ code: z.literal('renamed'), from, text: z.string() }).describe('`text` is the new title.'),
    z
      .object({ code: z.literal('admins'), from, members, admin: z.boolean() })
      .describe('`from` has made `members` admins of the group; with `admin` false, they are none any more.'),
    z
      .object({ code: z.literal('timer'), from, timer_ms: z.int() })
      .describe('Messages are kept for so long after they were read; 0 is for ever.'),
    z.object({ code: z.literal('call_declined'), from }).describe('There are no calls with a bot.'),
    z
      .object({ code: z.literal('undecryptable'), from })
      .describe('Something of `from` could not be read; the chat heals by itself.'),
    z
      .object({ code: z.literal('key_changed'), from })
      .describe(
        'The device key of `from` is another than before: a restore, or somebody else. Compare safety numbers.',
      ),
    z
      .object({ code: z.literal('refused'), from, text: z.string() })
      .describe('`from` did what the rules forbid, `text` says what; nobody followed it.'),
    z
      .object({ code: z.literal('restarted'), from, members: members.optional() })
      .describe('The group goes on with new keys; `members` are out.'),
    z
      .object({ code: z.literal('missing'), from, count: z.int() })
      .describe('`count` messages of `from` did not come: the relay holds them back.'),
    z
      .object({ code: z.literal('forked'), from })
      .describe('The relay has shown `from` another history; both are made one.'),
    z
      .object({ code: z.literal('cut_off'), from, members })
      .describe('The relay no longer delivered to `members`, by the word of `from` or its own; it is put right.'),
    z
      .object({ code: z.literal('mismatch'), text: z.string() })
      .describe('The keys were not those of the people shown, `text` says how; nothing was sent with them.'),
  ])
  .describe('A system line of a chat. More codes may come: pass over one that you do not know.')
export type Notice = z.infer<typeof notice>
