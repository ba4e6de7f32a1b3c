// A QR code, drawn as one path: always dark on light, whatever the scheme, or cameras would not read it.
import type { VNode } from 'preact'
import { encode } from 'uqr'
import './qr-code.css'

/** `label` describes it for people who cannot see it; its text should be next to it, too. */
export function QrCode({ text, label }: { text: string; label: string }): VNode {
  const { data, size } = encode(text, { border: 0, ecc: 'M' })
  const path = data.map((row, y) => rowPath(row, y)).join('')
  return (
    <span class="qr-code">
      <svg
        class="qr-code-drawing"
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={label}
        shape-rendering="crispEdges"
      >
        <path d={path} />
      </svg>
    </span>
  )
}

/** Neighbours in one stroke: single squares would show gaps where a screen rounds. */
function rowPath(row: readonly boolean[], y: number): string {
  let path = ''
  for (let x = 0; x < row.length; x++) {
    const begin = x
    while (row[x]) x++
    if (x > begin) path += `M${begin} ${y}h${x - begin}v1h-${x - begin}z`
  }
  return path
}
