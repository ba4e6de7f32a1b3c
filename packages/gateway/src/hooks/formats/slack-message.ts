// Reads a message in the way of Slack's webhooks: text, blocks and attachments become one formatted text and link buttons.
import { hookLimits } from '@postern/protocol'
import type { Button } from '@postern/protocol/content'
import { cleanText, isBlank, oneLine } from '../texts/clean.ts'
import { linkButtons, linkLine, plainLine, type RichLine, RichText, styled } from '../texts/rich-text.ts'
import { fieldsOf, isFields, listOf, type PostFields } from './fields.ts'
import { readMrkdwn } from './slack-mrkdwn.ts'
import { readRichBlock } from './slack-rich-blocks.ts'

export type SlackMessage = RichLine & { buttons: Button[][] }
type Links = { text: unknown; url: unknown }[]

/** Undefined if nothing would be visible. */
export function readSlackMessage(body: PostFields): SlackMessage | undefined {
  const text = new RichText()
  const links: Links = []
  const blocks = readBlocks(body['blocks'], links)
  // As in Slack: with blocks, the text is for notifications alone.
  text.line(blocks.text === '' ? mrkdwn(body['text']) : blocks)
  for (const attachment of listOf(body['attachments']).slice(0, hookLimits.slackAttachmentsMax))
    if (text.length <= hookLimits.slackTextUnitsMax) text.line(readAttachment(attachment, links))
  if (isBlank(text.text)) return undefined
  const name = styled(oneLine(body['username']), 'bold')
  const whole = new RichText().line(name).line(text)
  return { ...cut(whole), buttons: linkButtons(links, hookLimits.slackButtonsMax) }
}

/** Slack itself cuts longer texts. */
function cut({ text, entities }: RichLine): RichLine {
  const max = hookLimits.slackTextUnitsMax
  if (text.length <= max) return { text, entities }
  const kept = entities.filter(({ offset }) => offset < max)
  const inside = kept.map(entity => ({ ...entity, length: Math.min(entity.length, max - entity.offset) }))
  return { text: text.slice(0, max).toWellFormed(), entities: inside }
}

const mrkdwn = (value: unknown): RichLine =>
  typeof value === 'string' ? trimmed(readMrkdwn(value.slice(0, hookLimits.slackTextUnitsMax))) : plainLine('')

/** A text object, `{type, text}`, or a plain string in its place. */
function textObject(value: unknown): RichLine {
  if (!isFields(value)) return mrkdwn(value)
  const { type, text } = value
  if (type === 'plain_text') return plainLine(typeof text === 'string' ? cleanText(text).trim() : '')
  return mrkdwn(text)
}

/** Without white space at its ends. */
function trimmed({ text, entities }: RichLine): RichLine {
  const end = text.trimEnd().length
  const start = text.length - text.trimStart().length
  if (start === 0 && end === text.length) return { text, entities }
  const inside = entities.flatMap(entity => {
    const from = Math.max(entity.offset, start)
    const to = Math.min(entity.offset + entity.length, end)
    return from < to ? [{ ...entity, offset: from - start, length: to - from }] : []
  })
  return { text: text.slice(start, end), entities: inside }
}

function readBlocks(blocks: unknown, links: Links): RichLine {
  const text = new RichText()
  for (const block of listOf(blocks).slice(0, hookLimits.slackBlocksMax))
    if (text.length <= hookLimits.slackTextUnitsMax) text.line(readBlock(block, links))
  return text
}

function readBlock(block: PostFields, links: Links): RichLine {
  switch (block['type']) {
    case 'header':
      return styled(textObject(block['text']).text, 'bold')
    case 'section':
      addLinks(links, [fieldsOf(block['accessory'])])
      return lines([textObject(block['text']), ...fieldTexts(block['fields'])])
    case 'context':
      return joined(listOf(block['elements']).slice(0, hookLimits.slackFieldsMax).map(contextText))
    case 'image':
      return imageLine(block)
    case 'actions':
      addLinks(links, listOf(block['elements']))
      return plainLine('')
    case 'rich_text':
      return readRichBlock(block)
    default:
      return plainLine('')
  }
}

const fieldTexts = (fields: unknown): RichLine[] => listOf(fields).slice(0, hookLimits.slackFieldsMax).map(textObject)

const contextText = (element: PostFields): RichLine =>
  element['type'] === 'image' ? plainLine(oneLine(element['alt_text'])) : textObject(element)

function imageLine({ title, alt_text: alt, image_url: url }: PostFields): RichLine {
  const label = oneLine(fieldsOf(title)['text']) || oneLine(alt)
  const address = oneLine(url)
  return address === '' ? plainLine(label) : linkLine(label, address)
}

function addLinks(links: Links, elements: readonly PostFields[]): void {
  for (const { text, url } of elements) {
    if (links.length === hookLimits.slackButtonsMax) return
    if (typeof url === 'string') links.push({ text: isFields(text) ? text['text'] : text, url })
  }
}

const lines = (all: readonly RichLine[]): RichLine =>
  all.reduce<RichText>((text, line) => text.line(line), new RichText())

function joined(all: readonly RichLine[]): RichLine {
  const text = new RichText()
  for (const part of all.filter(line => line.text !== '')) {
    if (text.length > 0) text.add(' ')
    text.append(part)
  }
  return text
}

function readAttachment(attachment: PostFields, links: Links): RichLine {
  const { pretext, author_name: author, title, title_link: link, text, fields, footer, fallback } = attachment
  const body = lines([
    plainLine(oneLine(author)),
    titleLine(oneLine(mrkdwn(title).text), oneLine(link)),
    mrkdwn(text),
    ...listOf(fields).slice(0, hookLimits.slackFieldsMax).map(fieldLine),
    readBlocks(attachment['blocks'], links),
    plainLine(oneLine(footer)),
  ])
  addLinks(links, listOf(attachment['actions']))
  const shown = body.text === '' && mrkdwn(pretext).text === '' ? plainLine(oneLine(fallback)) : body
  const sign = signOf(attachment['color'])
  const marked = sign === '' || shown.text === '' ? shown : new RichText().add(`${sign} `).append(shown)
  return lines([mrkdwn(pretext), marked])
}

function titleLine(title: string, link: string): RichLine {
  const line = link === '' ? plainLine(title) : linkLine(title, link)
  return new RichText().append(line, { type: 'bold' })
}

function fieldLine({ title, value }: PostFields): RichLine {
  const name = oneLine(mrkdwn(title).text)
  const words = mrkdwn(value)
  if (name === '' || words.text === '') return name === '' ? words : plainLine(name)
  return new RichText().add(`${name}: `).append(words)
}

const named: Readonly<Record<string, string>> = { good: '🟢', warning: '🟡', danger: '🔴' }

/** By its name or its hue; grey and blue say nothing. */
function signOf(color: unknown): string {
  if (typeof color !== 'string') return ''
  if (Object.hasOwn(named, color)) return named[color] ?? ''
  const [, hex] = /^#?([\da-f]{6})$/i.exec(color) ?? []
  if (hex === undefined) return ''
  const parts = [0, 2, 4].map(at => Number.parseInt(hex.slice(at, at + 2), 16))
  const [red = 0, green = 0, blue = 0] = parts
  const most = Math.max(...parts)
  const spread = most - Math.min(...parts)
  if (spread < most / 4 || most === blue || spread === 0) return ''
  if (most === green && green - red > spread / 4) return '🟢'
  return most === red && green - blue < spread / 3 ? '🔴' : '🟡'
}
