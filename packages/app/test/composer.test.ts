// The text field: its completions, mentions, drafts, and sends.
import { contentLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { signal } from '@preact/signals'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Draft, Message } from '../src/contract/objects.ts'
import { choicesAt, commandsOf, hintFor } from '../src/conversation/writing/completion.ts'
import { ComposerState } from '../src/conversation/writing/composer-state.ts'
import { DraftKeeper } from '../src/conversation/writing/drafts.ts'
import { deedOf, type FieldKey, type FieldState } from '../src/conversation/writing/field-keys.ts'
import { awaitsFormatting, loadFormatting, readTyped } from '../src/conversation/writing/formatting.ts'
import { mentionsIn } from '../src/conversation/writing/mentions.ts'
import { alice, bob, botChat, group, groupWithBots, person, said, timingOf } from './conversation-fixtures.ts'

const nobody: ReadonlyMap<string, string> = new Map()
const typed = (text: string) => ({ text, caret: text.length })

describe('completion', () => {
  const written = (chat: Parameters<typeof choicesAt>[0], text: string) =>
    choicesAt(chat, alice.id, typed(text)).map(choice => (choice.kind === 'command' ? choice.written : choice.name))

  test('[APP-11.1] a slash at the beginning lists the commands of the bot, by what is typed of them', () => {
    expect(written(botChat(), '/')).toEqual(['/status', '/quiet'])
    expect(written(botChat(), '/ST')).toEqual(['/status'])
    expect(written(botChat(), 'see /')).toEqual([])
    expect(written(botChat(), '/status ')).toEqual([])
    expect(written(group({ type: 'private' }), '/')).toEqual([])
  })

  test('[APP-11.1] where several bots are, a command names the one that it is for', () => {
    expect(commandsOf(groupWithBots('Deploy')).map(one => one.written)).toEqual(['/status', '/quiet'])
    expect(written(groupWithBots('Deploy', 'Echo'), '/q')).toEqual(['/quiet@Deploy', '/quiet@Echo'])
  })

  test('[APP-11.1] a command that waits for its argument shows the hint, until one is typed', () => {
    expect(hintFor(botChat(), '/status ')).toBe('project')
    expect(hintFor(botChat(), '/status s')).toBeUndefined()
    expect(hintFor(botChat(), '/quiet ')).toBeUndefined()
    expect(hintFor(groupWithBots('Deploy', 'Echo'), '/status@Echo ')).toBe('project')
  })

  test('[APP-11.2] an @ in a group lists the other members, by any word of their name', () => {
    const chat = group({ members: [alice, bob, person(4, 'Jo Tanaka')].map(one => ({ ...one, bot: false })) })
    expect(written(chat, 'hi @')).toEqual(['Bob', 'Jo Tanaka'])
    expect(written(chat, '@ta')).toEqual(['Jo Tanaka'])
    expect(written(chat, 'mail@b')).toEqual([])
    expect(written(botChat(), '@')).toEqual([])
    expect(choicesAt(chat, alice.id, { text: 'a @bo and more', caret: 5 })).toMatchObject([{ from: 2, to: 5 }])
  })
})

describe('mentions', () => {
  const spans = (text: string, chat = group(), picked = nobody) =>
    mentionsIn(text, chat, picked).map(({ user, offset, length }) => [user, text.slice(offset, offset + length)])

  test('[APP-11.3] are found where the names stand when it is sent', () => {
    expect(spans('@Bob, and 😀 @Bob!')).toEqual([
      [bob.id, '@Bob'],
      [bob.id, '@Bob'],
    ])
    expect(spans('@Bobby and mail@Bo')).toEqual([])
  })

  test('[APP-11.3] the longer name wins; one that two have means nobody until one is chosen', () => {
    const [ann, annLee, otherBob] = [person(5, 'Ann'), person(6, 'Ann Lee'), person(7, 'Bob')]
    const chat = group({ members: [bob, otherBob, ann, annLee].map(one => ({ ...one, bot: false })) })
    expect(spans('@Ann Lee, @Ann', chat)).toEqual([
      [annLee.id, '@Ann Lee'],
      [ann.id, '@Ann'],
    ])
    expect(spans('@Bob', chat)).toEqual([])
    expect(spans('@Bob', chat, new Map([['Bob', otherBob.id]]))).toEqual([[otherBob.id, '@Bob']])
  })

  test('[APP-11.3] whatever the text and the names, spans are in order, apart, bounded, and say the name', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'B', ' ', '@', '😀', '\u0301'), maxLength: 6 })
    const text = fc.string({ unit: fc.constantFrom('@', 'a', 'B', ' ', '😀', '\u0301', '/'), maxLength: 400 })
    fc.assert(
      fc.property(fc.array(name, { maxLength: 4 }), text, (names, words) => {
        const members = names.map((one, at) => ({ ...person(20 + at, one), bot: false }))
        const found = mentionsIn(words, group({ members }), nobody)
        let end = 0
        expect(found.length).toBeLessThanOrEqual(contentLimits.mentionsMax)
        for (const { user, offset, length } of found) {
          expect(offset).toBeGreaterThanOrEqual(end)
          end = offset + length
          expect(words.slice(offset, end)).toBe(`@${members.find(one => one.id === user)?.name}`)
        }
      }),
    )
  })

  test('[APP-11.4] a command in a group mentions the only bot, or the one that it names, beside whom else it names', () => {
    const one = groupWithBots('Deploy Bot')
    const [bot] = one.groupBots
    expect(spans('/status @Bob', one)).toEqual([
      [bot?.id, '/status'],
      [bob.id, '@Bob'],
    ])
    expect(spans('/status@Deploy Bot shop', one)).toEqual([[bot?.id, '/status@Deploy Bot']])
    expect(spans('/status@Nobody', one)).toEqual([])
    const two = groupWithBots('Deploy', 'Echo')
    expect(spans('/status', two)).toEqual([])
    expect(spans('/status@Echo', two)).toEqual([[two.groupBots[1]?.id, '/status@Echo']])
    expect(spans('/status', botChat())).toEqual([])
  })
})

describe('drafts', () => {
  const keeperOf = (clock: ManualClock, stored?: Draft) => {
    const saved: Draft[] = []
    return { saved, keeper: new DraftKeeper(timingOf(clock), draft => saved.push(draft), stored) }
  }

  test('[APP-11.5] are kept 400 ms after the last key, and at once when the page goes', () => {
    const clock = new ManualClock()
    const { saved, keeper } = keeperOf(clock)
    for (const text of ['h', 'he', 'hel']) {
      keeper.changed({ text })
      clock.advance(399)
    }
    expect(saved).toEqual([])
    clock.advance(1)
    expect(saved).toEqual([{ text: 'hel' }])
    keeper.changed({ text: 'hell' })
    keeper.flush()
    keeper.flush()
    clock.advance(1_000)
    expect(saved).toEqual([{ text: 'hel' }, { text: 'hell' }])
  })

  test('[APP-11.5] what was sent is no draft any more, at once; one that did not change is not kept again', () => {
    const clock = new ManualClock()
    const { saved, keeper } = keeperOf(clock, { text: 'hello' })
    keeper.changed({ text: 'hello' })
    clock.advance(1_000)
    expect(saved).toEqual([])
    keeper.changed({ text: '' })
    expect(saved).toEqual([{ text: '' }])
  })

  test('[APP-11.5] one that replies is a reply again once its message is known', () => {
    const to = said(bob, 'question')
    const messages = signal<ReadonlyMap<string, Message>>(new Map())
    const state = new ComposerState({ text: 'answer', reply_to: to.id }, messages)
    expect(state.text.value).toBe('answer')
    messages.value = new Map([[to.id, to]])
    expect(state.about.value).toEqual({ kind: 'reply', to })
    state.cancel()
    messages.value = new Map([[to.id, to]])
    expect(state.about.value).toEqual({ kind: 'none' })
  })
})

describe('the field', () => {
  test('[APP-11.6] is empty as soon as it is sent, and sends nothing blank', () => {
    const state = new ComposerState()
    state.text.value = '  \n '
    expect(state.submit(group())).toBeUndefined()
    const to = said(bob, 'question')
    state.reply(to)
    state.text.value = ' @Bob yes '
    expect(state.submit(group())).toEqual({
      kind: 'send',
      text: '@Bob yes',
      mentions: [{ user: bob.id, offset: 0, length: 4 }],
      replyTo: to,
    })
    expect(state.draft()).toEqual({ text: '' })
  })

  test('[APP-11.6] gets back what could not be put in line, unless something else was begun', () => {
    const state = new ComposerState()
    state.text.value = 'hello'
    const sent = state.submit(group())
    if (!sent) throw new Error('nothing was sent')
    state.giveBack(sent)
    expect(state.text.value).toBe('hello')
    state.text.value = 'something else'
    state.giveBack(sent)
    expect(state.text.value).toBe('something else')
  })

  test('[APP-11.7] an edit leaves what was being written, and says nothing when nothing changed', () => {
    const state = new ComposerState()
    state.text.value = 'half a sent'
    const own = said(alice, 'mine')
    state.edit(own)
    expect(state.text.value).toBe('mine')
    expect(state.draft()).toEqual({ text: 'half a sent' })
    state.edit(said(alice, 'another'))
    state.cancel()
    expect(state.text.value).toBe('half a sent')
    state.edit(own)
    expect(state.submit(group())).toBeUndefined()
    state.edit(own)
    state.text.value = 'mine, better'
    expect(state.submit(group())).toEqual({ kind: 'edit', text: 'mine, better', mentions: [], message: own })
    expect(state.text.value).toBe('half a sent')
  })

  test('[APP-11.8] counts characters from 200 before the limit on, and sends none past it', () => {
    const state = new ComposerState()
    const max = contentLimits.textCharsMax
    const leftOf = (text: string) => {
      state.text.value = text
      return state.charsLeft.value
    }
    expect(leftOf('a'.repeat(max - 201))).toBeUndefined()
    expect(leftOf('a'.repeat(max - 200))).toBe(200)
    expect(leftOf('😀'.repeat(max))).toBe(0)
    expect(state.canSubmit.value).toBe(true)
    expect(leftOf('😀'.repeat(max + 1))).toBe(-1)
    expect(state.submit(group())).toBeUndefined()
    expect(state.text.value).not.toBe('')
  })
})

describe('keys', () => {
  const none: FieldState = { hasChoices: false, isEmpty: false, isAbout: false, enterSends: true }
  const key = (name: string, more: Partial<FieldKey> = {}): FieldKey => ({
    key: name,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    isComposing: false,
    ...more,
  })

  test('[APP-11.9] Enter sends, or Ctrl+Enter where that is set; Shift+Enter and a word being composed do not', () => {
    expect(deedOf(key('Enter'), none)).toBe('send')
    expect(deedOf(key('Enter', { shiftKey: true }), none)).toBeUndefined()
    expect(deedOf(key('Enter', { isComposing: true }), none)).toBeUndefined()
    const byCtrl = { ...none, enterSends: false }
    expect(deedOf(key('Enter'), byCtrl)).toBeUndefined()
    expect(deedOf(key('Enter', { ctrlKey: true }), byCtrl)).toBe('send')
    expect(deedOf(key('Enter', { metaKey: true }), byCtrl)).toBe('send')
  })

  test('[APP-11.9] with a list open the arrows, Enter, Tab and Esc are for the list', () => {
    const open = { ...none, hasChoices: true, isAbout: true }
    const names = ['ArrowDown', 'ArrowUp', 'Enter', 'Tab', 'Escape', 'a']
    expect(names.map(name => deedOf(key(name), open))).toEqual([
      'next-choice',
      'previous-choice',
      'choose',
      'choose',
      'close-choices',
      undefined,
    ])
    expect(deedOf(key('Tab', { shiftKey: true }), open)).toBeUndefined()
  })

  test('[APP-11.9] the arrow in an empty field edits, Esc ends a reply or an edit, else it goes to the end', () => {
    expect(deedOf(key('ArrowUp'), { ...none, isEmpty: true })).toBe('edit-last')
    expect(deedOf(key('ArrowUp'), none)).toBeUndefined()
    expect(deedOf(key('ArrowUp'), { ...none, isEmpty: true, isAbout: true })).toBeUndefined()
    expect(deedOf(key('Escape'), { ...none, isAbout: true })).toBe('cancel')
    expect(deedOf(key('Escape'), none)).toBe('to-end')
    expect(deedOf(key('Tab'), none)).toBeUndefined()
  })
})

test('[APP-11.13] only a text with marks waits for the formatting, and only until that is loaded', async () => {
  const marked = ['**bold**', '> quote', '[a](https://example.org)', '\\*', '`code`', '~~no~~', '||spoiler||', '_so_']
  expect(['plain words, 2 + 2 = 4!', '/start *x*', 'https://example.org/?a=b#c'].filter(awaitsFormatting)).toEqual([])
  expect(marked.filter(text => !awaitsFormatting(text))).toEqual([])
  await loadFormatting()
  expect(marked.filter(awaitsFormatting)).toEqual([])
})

describe('[APP-11.12] Markdown in the field', () => {
  beforeAll(loadFormatting)

  test('[APP-11.13] a text without marks is what it is', () => {
    const plain = fc.string({ unit: 'binary', maxLength: 200 }).filter(text => !/[\\`*_~|>[\]]/.test(text))
    fc.assert(
      fc.property(plain, text => {
        expect(readTyped(text)).toEqual({ text, entities: [] })
      }),
    )
  })

  const bold = [{ type: 'bold', offset: 2, length: 1 } as const]

  test('is sent as a text with entities, and mentions are those of the text', () => {
    const compose = new ComposerState()
    compose.text.value = ' **hi** @Bob, `x` '
    expect(compose.submit(group())).toEqual({
      kind: 'send',
      text: 'hi @Bob, x',
      mentions: [{ user: bob.id, offset: 3, length: 4 }],
      entities: [
        { type: 'bold', offset: 0, length: 2 },
        { type: 'code', offset: 9, length: 1 },
      ],
    })
  })

  test.each(['/grep .*a.*', 'snake_case and 2*3*4', 'https://example.org/_a_', '**open'])('does not touch %s', text => {
    const compose = new ComposerState()
    compose.text.value = text
    expect(compose.submit(botChat())).toEqual({ kind: 'send', text, mentions: [] })
  })

  test('is shown again when the message is edited, and an edit that changes nothing is none', () => {
    const message = { ...said(alice, 'a b'), entities: bold }
    const compose = new ComposerState()
    compose.edit(message)
    expect(compose.text.value).toBe('a **b**')
    expect(compose.submit(botChat())).toBeUndefined()
    compose.edit(message)
    compose.text.value = 'a b'
    expect(compose.submit(botChat())).toMatchObject({ kind: 'edit', text: 'a b', message })
    const literal = said(alice, '*a*')
    compose.edit(literal)
    expect(compose.text.value).toBe('\\*a\\*')
    expect(compose.submit(botChat())).toBeUndefined()
  })

  test('comes back when it could not be sent', () => {
    const compose = new ComposerState()
    compose.giveBack({ kind: 'send', text: 'a b', mentions: [], entities: bold })
    expect(compose.text.value).toBe('a **b**')
  })
})
