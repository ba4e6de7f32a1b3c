// The format `slack`: what senders post, and the texts, entities and buttons of the messages.
import { buttonsFault, entityFault, hookLimits, type TextEntity } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { readSlack } from '../src/hooks/formats/slack.ts'
import { readMrkdwn } from '../src/hooks/formats/slack-mrkdwn.ts'

const read = (json: unknown, type = 'application/json') => readSlack({ text: JSON.stringify(json), type })

/** Each entity as its type and the words that it covers, with the address of a link. */
const shown = ({ text, entities }: { text: string; entities: readonly TextEntity[] }): string[] =>
  entities.map(
    ({ type, offset, length, url }) => `${type} ${text.slice(offset, offset + length)}${url ? ` ${url}` : ''}`,
  )

const marks: [string, string, string[]][] = [
  ['*bold* and _italic_ and ~gone~', 'bold and italic and gone', ['bold bold', 'italic italic', 'strike gone']],
  ['*bold _both_*', 'bold both', ['italic both', 'bold bold both']],
  ['`a *b*` c', 'a *b* c', ['code a *b*']],
  ['```\nmake *all*\n```', 'make *all*', ['pre make *all*']],
  ['> quoted\nnot', 'quoted\nnot', ['quote quoted']],
  ['&gt; quoted &lt;b&gt; &amp;amp;', 'quoted <b> &amp;', ['quote quoted <b> &amp;']],
  ['2 * 3 * 4, a_b_c, ~5 and *open', '2 * 3 * 4, a_b_c, ~5 and *open', []],
  ['*a _b* c_', 'a _b c_', ['bold a _b']],
  ['<https://ci.example/42|Build 42> failed', 'Build 42 failed', ['link Build 42 https://ci.example/42']],
  ['see <https://ci.example/42>', 'see https://ci.example/42', []],
  ['<@U1|bob> <@U2> <#C1|ops> <!here> <!subteam^S1|@team>', '@bob @U2 #ops @here @team', []],
  ['<!date^1392734382^{date}|18 Feb> <mailto:a@b.example|Alice>', '18 Feb Alice', []],
  ['a < b > c', 'a < b > c', []],
  ['``` alone', '``` alone', []],
]

test.each(marks)('[GATEWAY-10.36] mrkdwn: %s', (source, text, entities) => {
  const line = readMrkdwn(source)
  expect(line.text).toBe(text)
  expect(shown(line).toSorted()).toEqual(entities.toSorted())
  expect(entityFault(line.text, line.entities)).toBeUndefined()
})

describe('a link leads where it says', () => {
  const hostile: [string, string][] = [
    ['<https://evil.example|https://bank.example>', 'https://bank.example (https://evil.example)'],
    ['<https://evil.example|bank.example/login>', 'bank.example/login (https://evil.example)'],
    ['<https://bank.example@evil.example|Bank>', 'Bank (https://bank.example@evil.example)'],
    ['<javascript:alert(1)|Click>', '<javascript:alert(1)|Click>'],
    ['<https://evil.example|\u200b>', 'https://evil.example'],
    ['<https://evil.example|a\u202eb>', 'ab'],
    ['&lt;https://evil.example|x&gt;', '<https://evil.example|x>'],
  ]
  test.each(hostile)('[GATEWAY-10.36] %s', (source, text) => {
    const line = readMrkdwn(source)
    expect(line.text).toBe(text)
    const links = line.entities.filter(({ type }) => type === 'link')
    expect(links.map(({ url }) => url)).toEqual(text === 'ab' ? ['https://evil.example'] : [])
  })
})

test('[GATEWAY-10.36] attachments as Jenkins and others send them', () => {
  const { text, entities, buttons } = read({
    username: 'Jenkins',
    channel: '#ops',
    attachments: [
      {
        color: 'danger',
        fallback: 'Build failed',
        pretext: 'New build',
        author_name: 'alice',
        title: 'Build #42 failed',
        title_link: 'https://ci.example/42',
        text: 'Tests: *2* of 90',
        fields: [{ title: 'Branch', value: 'main', short: true }],
        footer: 'ci',
        actions: [{ type: 'button', text: 'Console', url: 'https://ci.example/42/console' }],
      },
    ],
  })
  expect(text).toBe('Jenkins\nNew build\n🔴 alice\nBuild #42 failed\nTests: 2 of 90\nBranch: main\nci')
  expect(shown({ text, entities }).toSorted()).toEqual([
    'bold 2',
    'bold Build #42 failed',
    'bold Jenkins',
    'link Build #42 failed https://ci.example/42',
  ])
  expect(buttons).toEqual([[{ text: 'Console', url: 'https://ci.example/42/console' }]])
})

test('[GATEWAY-10.36] blocks win over the text, and their links become at most four buttons', () => {
  const button = (at: number, url: unknown) => ({ type: 'button', text: { type: 'plain_text', text: `B${at}` }, url })
  const { text, entities, buttons } = read({
    text: 'for notifications',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Deploy *1*' } },
      { type: 'divider' },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: 'by *alice*' },
        fields: [{ type: 'mrkdwn', text: 'Env: prod' }],
        accessory: button(0, 'https://a.example/0'),
      },
      {
        type: 'context',
        elements: [
          { type: 'image', alt_text: 'logo' },
          { type: 'mrkdwn', text: 'at _noon_' },
        ],
      },
      { type: 'image', image_url: 'https://a.example/i.png', alt_text: 'Graph' },
      {
        type: 'actions',
        elements: [
          button(1, undefined),
          button(2, 'javascript:alert(1)'),
          ...[3, 4, 5, 6].map(at => button(at, `https://a.example/${at}`)),
        ],
      },
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'Done ', style: { bold: true } },
              { type: 'emoji', name: 'tada', unicode: '1f389' },
              { type: 'user', user_id: 'U1' },
            ],
          },
          {
            type: 'rich_text_list',
            style: 'ordered',
            elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] }],
          },
          { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'x = 1' }] },
        ],
      },
    ],
  })
  expect(text.split('\n')).toEqual([
    'Deploy *1*',
    'by alice',
    'Env: prod',
    'logo at noon',
    'Graph',
    'Done 🎉@U1',
    '1. one',
    'x = 1',
  ])
  expect(shown({ text, entities })).toContain('pre x = 1')
  expect(buttons.flat().map(({ text: label }) => label)).toEqual(['B0', 'B3', 'B4'])
  expect(buttonsFault(buttons)).toBeUndefined()
})

test.each([
  ['good', '🟢 x'],
  ['#36a64f', '🟢 x'],
  ['warning', '🟡 x'],
  ['#ffa500', '🟡 x'],
  ['D00000', '🔴 x'],
  ['#439FE0', 'x'],
  ['#cccccc', 'x'],
  ['constructor', 'x'],
])('[GATEWAY-10.36] the color %s', (color, text) => {
  expect(read({ attachments: [{ color, text: 'x' }] }).text).toBe(text)
})

test('[GATEWAY-10.36] a form with a payload, JSON under a form\u2019s type, and a form without it', () => {
  const type = 'application/x-www-form-urlencoded'
  const form = (fields: Record<string, string>) => ({ text: new URLSearchParams(fields).toString(), type })
  const payload = JSON.stringify({ text: 'a + b & ü 🎉' })
  expect(readSlack(form({ payload })).text).toBe('a + b & ü 🎉')
  expect(readSlack(form({ token: 'x', payload })).text).toBe('a + b & ü 🎉')
  expect(readSlack({ text: payload, type }).text).toBe('a + b & ü 🎉')
  for (const text of ['', 'other=1', 'payload', 'payload=%', 'payload=%ff', 'payload={'])
    expect(() => readSlack({ text, type })).toThrow(/payload|body/)
})

test('[GATEWAY-10.36] a text that is too long is cut as Slack does, whatever it is made of', () => {
  const long = { text: '*a* '.repeat(200_000), attachments: Array.from({ length: 5000 }, () => ({ text: '*a* `b`' })) }
  const { text, entities } = read(long)
  expect(text.length).toBeLessThanOrEqual(hookLimits.slackTextUnitsMax)
  expect(entityFault(text, entities)).toBeUndefined()
})
