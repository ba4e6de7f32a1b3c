// Reads Slack's rich_text blocks: paragraphs, lists, quotes and code of formatted leaves.

import { hookLimits } from '@postern/protocol'
import { cleanText, oneLine } from '../texts/clean.ts'
import { linkLine, plainLine, type RichLine, RichText, styled } from '../texts/rich-text.ts'
import { fieldsOf, listOf, type PostFields } from './fields.ts'

export function readRichBlock(block: PostFields, depth = 0): RichLine {
  const text = new RichText()
  if (depth > hookLimits.slackListDepthMax) return text
  for (const [at, part] of listOf(block['elements']).entries()) {
    switch (part['type']) {
      case 'rich_text_list':
        text.line(readRichBlock({ elements: part['elements'], item: part['style'] }, depth + 1))
        break
      case 'rich_text_quote':
        text.line(readLeaves(part), { type: 'quote' })
        break
      case 'rich_text_preformatted':
        text.line(styled(readLeaves(part).text, 'pre'))
        break
      default: {
        const item = block['item'] === undefined ? '' : block['item'] === 'ordered' ? `${at + 1}. ` : '• '
        const leaves = readLeaves(part)
        if (leaves.text !== '') text.line(new RichText().add(item).append(leaves))
      }
    }
  }
  return text
}

function readLeaves(part: PostFields): RichLine {
  const text = new RichText()
  for (const leaf of listOf(part['elements'])) {
    const style = fieldsOf(leaf['style'])
    const kinds = (['bold', 'italic', 'strike', 'code'] as const).filter(name => style[name] === true)
    text.append(readLeaf(leaf), ...kinds.map(type => ({ type })))
  }
  return text
}

function readLeaf(leaf: PostFields): RichLine {
  const words = typeof leaf['text'] === 'string' ? cleanText(leaf['text']) : ''
  switch (leaf['type']) {
    case 'text':
      return plainLine(words)
    case 'link':
      return linkLine(oneLine(words), oneLine(leaf['url']))
    case 'emoji':
      return plainLine(emojiOf(leaf))
    case 'user':
      return plainLine(`@${oneLine(leaf['user_id'])}`)
    case 'usergroup':
      return plainLine(`@${oneLine(leaf['usergroup_id'])}`)
    case 'channel':
      return plainLine(`#${oneLine(leaf['channel_id'])}`)
    case 'broadcast':
      return plainLine(`@${oneLine(leaf['range'])}`)
    default:
      return plainLine(words || oneLine(leaf['fallback']))
  }
}

/** `unicode` is in hexadecimal numbers, joined by dashes. */
function emojiOf({ name, unicode }: PostFields): string {
  const codes =
    typeof unicode === 'string' && /^[\da-f]{2,6}(?:-[\da-f]{2,6}){0,9}$/i.test(unicode) ? unicode.split('-') : []
  const points = codes.map(code => Number.parseInt(code, 16))
  if (points.length > 0 && points.every(point => point >= 0x20 && point <= 0x10_ff_ff))
    return cleanText(String.fromCodePoint(...points))
  return `:${oneLine(name)}:`
}
