// The people and messages of the document's examples: one afternoon of a bot with Alice.
import type { z } from 'zod'
import type { update } from '../events.ts'
import type { invite } from '../invite-endpoints.ts'
import type { bot, chat, message } from '../objects.ts'

const alice = { id: 'nh7ajrgvkm5bko7sk6dx3km7e6yldgbo', name: 'Alice' }
const helper = { id: 'iepiycaysiwqplspk2iuiimjlzrzxig2', name: 'Helper', bot: true }
const ts = 1_794_740_229_384

/** The id of a private chat is the other person's account id. */
export const exampleChatId = alice.id
export const exampleGroupId = 'ed7j2atah35kroufhl7gszyguu'
const examplePressId = 'ngq4uvvmt54va4nagzugp77ps4'
export const exampleHookId = 'vj3iebpf4phxg4dswnar5f5w4y'

export const exampleBot: z.input<typeof bot> = {
  id: helper.id,
  name: 'Helper',
  invite_url: 'https://relay.example/#i/iepiycaysiwqplspk2iuiimjlzrzxig2/the-key/the-token',
  about: 'Deploys what you ask it to.',
  commands: [{ name: 'deploy', description: 'Deploys a version', args: 'version' }],
  new_people_left: 49,
}

export const exampleInvite: z.input<typeof invite> = {
  id: 'k5xq3v7mznb2wq4jd6ayhtrc5u',
  url: 'https://relay.example/#i/iepiycaysiwqplspk2iuiimjlzrzxig2/the-key/the-token',
  payload: 'ticket-4711',
  uses: 1,
  used: 0,
  expires: ts + 3_600_000,
  ts,
}

export const exampleChat: z.input<typeof chat> = {
  id: exampleChatId,
  type: 'private',
  name: 'Alice',
  state: 'active',
  members: [
    { ...helper, bot: true },
    { ...alice, bot: false },
  ],
  timer_ms: 0,
  unread: 1,
  ts,
}

export const exampleGroup: z.input<typeof chat> = {
  ...exampleChat,
  id: exampleGroupId,
  type: 'group',
  name: 'Releases',
  members: [
    { ...helper, bot: true, admin: true },
    { ...alice, bot: false },
  ],
  unread: 0,
}

type ExampleMessage = z.input<typeof message>

/** Alice's message. */
export const asked: ExampleMessage = {
  id: 'b2kk4nw2n7ydtevfp7o335dsrnqj2dl7',
  chat_id: exampleChatId,
  from: alice,
  ts,
  text: 'Tell me when 1.8 is ready',
}

const reply = {
  id: 'p3lunxb5c2m5p47xqyixpk5vgzhu2ucd',
  chat_id: exampleChatId,
  from: helper,
  ts: ts + 950,
}

/** The bot's message. */
export const answered: ExampleMessage = {
  ...reply,
  text: 'Version 1.8 is ready. Deploy it?',
  buttons: [[{ text: 'Deploy', data: 'deploy 1.8' }]],
  status: 'sent',
}

/** After the deployment. */
export const edited: ExampleMessage = {
  ...reply,
  text: 'Version 1.8 is out.',
  edited_ts: ts + 72_388,
  status: 'read',
}

export const sentFile: ExampleMessage = {
  id: '5qjg43gr4nwl2c756ov36ptcgfrakkgt',
  chat_id: exampleChatId,
  from: helper,
  ts: ts + 60_000,
  text: 'The log of it',
  file: { name: 'deploy.log', size: 4096, type: 'text/plain', kind: 'file' },
  status: 'sent',
}

export const sentAlbum: ExampleMessage[] = [
  {
    id: '4wzsdaaxajcm2qmy3nsdtcwkgmghqtqf',
    chat_id: exampleChatId,
    from: helper,
    ts: ts + 90_000,
    text: 'Before and after',
    album: `Jv2mSPq0Yc3wLx8tB5nRkA.${helper.id}`,
    file: { name: 'before.png', size: 20_480, type: 'image/png', kind: 'photo', width: 640, height: 480 },
    status: 'sent',
  },
  {
    id: '3nqgd4wztnk2cvqm5xgl7ffbpolo3ykg',
    chat_id: exampleChatId,
    from: helper,
    ts: ts + 90_001,
    album: `Jv2mSPq0Yc3wLx8tB5nRkA.${helper.id}`,
    file: { name: 'after.png', size: 22_016, type: 'image/png', kind: 'photo', width: 640, height: 480 },
    status: 'sent',
  },
]

export const sentPoll: ExampleMessage = {
  id: '7kemd67udh3ntvn63nglbc2qajjicsbc',
  chat_id: exampleGroupId,
  from: helper,
  ts: ts + 120_000,
  poll: {
    question: 'When do we deploy?',
    multiple: false,
    closed: false,
    options: [
      { text: 'Now', votes: 1, voters: [alice] },
      { text: 'Tomorrow', votes: 0, voters: [] },
    ],
    voted: [],
  },
  status: 'sent',
}

export const exampleUpdate: z.input<typeof update> = { id: 41, chat_id: exampleChatId, type: 'message', message: asked }

export const pressedUpdate: z.input<typeof update> = {
  id: 42,
  chat_id: exampleChatId,
  type: 'button',
  button: { message_id: answered.id, from: alice, data: 'deploy 1.8', press_id: examplePressId },
}
