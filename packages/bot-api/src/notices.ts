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
      .object({ code: z.literal('picture'), from, removed: z.boolean() })
      .describe('`from` has set a new picture of the group; with `removed` true, it has none any more.'),
    z
      .object({ code: z.literal('admins'), from, members, admin: z.boolean() })
      .describe('`from` has made `members` admins of the group; with `admin` false, they are no longer admins.'),
    z
      .object({ code: z.literal('timer'), from, timer_ms: z.int() })
      .describe('Messages are kept for `timer_ms` after they were read; 0: no limit.'),
    z.object({ code: z.literal('call_declined'), from }).describe('A call was declined: bots take no calls.'),
    z
      .object({ code: z.literal('undecryptable'), from })
      .describe('A message from `from` could not be decrypted; the chat repairs itself.'),
    z
      .object({ code: z.literal('key_changed'), from })
      .describe('The device key of `from` has changed: a restore, or somebody else. Compare safety numbers.'),
    z
      .object({ code: z.literal('refused'), from, text: z.string() })
      .describe('`from` did something that the rules forbid; `text` says what. It had no effect.'),
    z
      .object({ code: z.literal('restarted'), from, members: members.optional() })
      .describe('The group continues with new keys; `members` are no longer in it.'),
    z
      .object({ code: z.literal('missing'), from, count: z.int() })
      .describe('`count` messages from `from` did not arrive: the relay withholds them.'),
    z
      .object({ code: z.literal('forked'), from })
      .describe('The relay has shown `from` another history; both are merged into one.'),
    z
      .object({ code: z.literal('cut_off'), from, members })
      .describe('The relay no longer delivered to `members`, at the request of `from` or by itself; this is fixed.'),
    z
      .object({ code: z.literal('mismatch'), text: z.string() })
      .describe('The keys did not belong to the people shown; `text` says how. Nothing was sent with them.'),
  ])
  .describe('A system line of a chat. More codes may be added: ignore those that you do not know.')
export type Notice = z.infer<typeof notice>
