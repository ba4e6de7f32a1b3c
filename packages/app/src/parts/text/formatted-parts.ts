// The parts of a formatted text, one inside of the other. All of the text is in them once, with any entities.
import { entityEnd, fittingEntities, type TextEntity } from '@postern/protocol'
import { spotsIn, type TappableOptions, type TextPart, type TextSpot } from './link-detection.ts'

export type FormattedPart = TextPart | { kind: 'formatted'; entity: TextEntity; parts: FormattedPart[] }

type Piece = { from: number; to: number; part: TextPart } | { from: number; to: number; entity: TextEntity }

export function formattedParts(
  text: string,
  entities: readonly TextEntity[],
  options: TappableOptions = {},
): FormattedPart[] {
  const fitting = fittingEntities(text, entities)
  const code = fitting.filter(({ type }) => type === 'code' || type === 'pre')
  const found = spotsIn(text, options).filter(spot => !code.some(one => isTouching(one, spot)))
  // An address in the words of a link leads where it says.
  const shown = fitting.filter(entity => !found.some(spot => isCrossing(entity, spot) || isOver(entity, spot)))
  const links = shown.filter(({ type }) => type === 'link')
  const spots = found.filter(spot => !links.some(link => isTouching(link, spot)))
  const pieces: Piece[] = [
    ...shown.map(entity => ({ from: entity.offset, to: entityEnd(entity), entity })),
    ...spots,
  ].sort((one, other) => one.from - other.from || other.to - one.to)
  return partsIn(text, { pieces, at: 0 }, { from: 0, to: text.length })
}

const isTouching = (entity: TextEntity, { from, to }: TextSpot): boolean =>
  entity.offset < to && from < entityEnd(entity)

const isOver = (entity: TextEntity, spot: TextSpot): boolean =>
  entity.type === 'link' && spot.part.kind === 'link' && isTouching(entity, spot)

/** It begins or ends within the part. */
const isCrossing = (entity: TextEntity, { from, to }: TextSpot): boolean =>
  [entity.offset, entityEnd(entity)].some(edge => from < edge && edge < to)

/** Takes the pieces of this span from the list. */
function partsIn(text: string, list: { pieces: Piece[]; at: number }, { from, to }: { from: number; to: number }) {
  const parts: FormattedPart[] = []
  let at = from
  const addText = (end: number): void => {
    if (end > at) parts.push({ kind: 'text', text: text.slice(at, end) })
  }
  for (let piece = list.pieces[list.at]; piece && piece.to <= to; piece = list.pieces[list.at]) {
    list.at++
    addText(piece.from)
    if ('part' in piece) parts.push(piece.part)
    else parts.push({ kind: 'formatted', entity: piece.entity, parts: partsIn(text, list, piece) })
    at = piece.to
  }
  addText(to)
  return withoutDoubleBreaks(parts)
}

/** A block is on lines of its own: the line break beside it would show an empty line. */
function withoutDoubleBreaks(parts: FormattedPart[]): FormattedPart[] {
  return parts.map((part, at) => {
    if (part.kind !== 'text') return part
    const text = isBlock(parts[at - 1]) ? part.text.replace(/^\n/, '') : part.text
    return { ...part, text: isBlock(parts[at + 1]) ? text.replace(/\n$/, '') : text }
  })
}

const isBlock = (part: FormattedPart | undefined): boolean =>
  part?.kind === 'formatted' && (part.entity.type === 'pre' || part.entity.type === 'quote')
