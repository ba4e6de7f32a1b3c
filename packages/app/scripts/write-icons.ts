// Writes src/parts/icons/icons.ts and lazy-icons.ts: those of Lucide's icons that the app shows, each as one path. Run
// it after a change of the list.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Shown from the start. */
const first = [
  'archive',
  'archive-restore',
  'arrow-down',
  'arrow-up',
  'ban',
  'bell',
  'bell-off',
  'bot',
  'chart-no-axes-column',
  'check',
  'check-check',
  'chevron-left',
  'chevron-right',
  'circle-alert',
  'circle-check',
  'clock',
  'copy',
  'cloud-off',
  'download',
  'ellipsis-vertical',
  'eraser',
  'external-link',
  'eye',
  'file',
  'file-key',
  'forward',
  'image',
  'info',
  'link',
  'lock',
  'log-out',
  'menu',
  'mic',
  'paperclip',
  'pause',
  'pencil',
  'phone-missed',
  'pin',
  'pin-off',
  'play',
  'plus',
  'qr-code',
  'refresh-cw',
  'reply',
  'search',
  'settings',
  'shield-check',
  'face-slightly-smiling',
  'square-pen',
  'timer',
  'trash',
  'triangle-alert',
  'user',
  'user-plus',
  'users',
  'x',
] as const

/** Icons of screens that are fetched when they are first shown: they are fetched with them. */
const later = [
  'camera',
  'circle-x',
  'crown',
  'database-backup',
  'door-open',
  'hard-drive',
  'hash',
  'key-round',
  'message-circle',
  'palette',
  'rotate-ccw-clock',
  'scan-line',
  'share-2',
  'shield-alert',
  'smartphone',
  'user-minus',
] as const

type Attributes = Record<string, string>
type Shape = [tag: string, attributes: Attributes]

const file = createRequire(import.meta.url).resolve('lucide-static/icon-nodes.json')
const nodes = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Shape[]>

/** An arc around a quarter, and half a circle. */
const corner = (r: number, x: number, y: number): string => `a${r} ${r} 0 0 1 ${x} ${y}`
const half = (rx: number, ry: number, x: number): string => `a${rx} ${ry} 0 1 0 ${x} 0`

function roundOf(shape: Attributes): string {
  const [cx, cy] = [Number(shape['cx']), Number(shape['cy'])]
  const [rx, ry] = [Number(shape['rx'] ?? shape['r']), Number(shape['ry'] ?? shape['r'])]
  return `M${cx - rx} ${cy}${half(rx, ry, 2 * rx)}${half(rx, ry, -2 * rx)}`
}

function boxOf(shape: Attributes): string {
  const [x, y] = [Number(shape['x'] ?? 0), Number(shape['y'] ?? 0)]
  const r = Number(shape['rx'] ?? 0)
  const [across, down] = [Number(shape['width']) - 2 * r, Number(shape['height']) - 2 * r]
  const sides = [
    `h${across}`,
    corner(r, r, r),
    `v${down}`,
    corner(r, -r, r),
    `h${-across}`,
    corner(r, -r, -r),
    `v${-down}`,
  ]
  return `M${x + r} ${y}${sides.join('')}${corner(r, r, -r)}z`
}

/** A path that begins with a small letter would continue from the end of the previous one. */
const absolute = (path: string): string =>
  path.replace(/^m(-?[\d.]+)[ ,]?(-?[\d.]+) ?(?=[-\d.])/, 'M$1 $2l').replace(/^m/, 'M')

function pathOf([tag, shape]: Shape): string {
  switch (tag) {
    case 'path':
      return absolute(shape['d'] ?? '')
    case 'circle':
    case 'ellipse':
      return roundOf(shape)
    case 'rect':
      return boxOf(shape)
    case 'line':
      return `M${shape['x1']} ${shape['y1']}L${shape['x2']} ${shape['y2']}`
    case 'polyline':
    case 'polygon':
      return `M${shape['points']}${tag === 'polygon' ? 'z' : ''}`
    default:
      throw new Error(`Lucide draws with ${tag}`)
  }
}

function drawingOf(name: string): string {
  const shapes = nodes[name]
  if (!shapes) throw new Error(`Lucide has no icon ${name}`)
  return shapes.map(pathOf).join('')
}

const drawn = (names: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(names.map(name => [name, drawingOf(name)])))
const write = (name: string, text: string): void =>
  writeFileSync(new URL(`../src/parts/icons/${name}`, import.meta.url), text)

const credit =
  'drawn by Lucide (ISC licence, copyright Lucide Icons and Contributors). Written by scripts/write-icons.ts.'
write(
  'icons.ts',
  `// The icons of the app that are shown from the start, ${credit}
export const icons = ${drawn(first)}
`,
)
write(
  'lazy-icons.ts',
  `// Icons of screens that are fetched later, ${credit}
export const lazyIcons = ${drawn(later)}
`,
)
