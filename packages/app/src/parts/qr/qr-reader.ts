// Finds a QR code in a camera picture: with the browser if possible, otherwise with code that is fetched then.

export type QrReader = (video: HTMLVideoElement) => Promise<string | undefined>

type Detector = { detect(image: HTMLVideoElement): Promise<{ rawValue: string }[]> }
type DetectorClass = {
  new (options: { formats: string[] }): Detector
  getSupportedFormats(): Promise<string[]>
}

const FORMAT = 'qr_code'
/** Enough for a code that fills a third of the picture, and quick on a phone. */
const EDGE_PX = 640

export async function makeQrReader(): Promise<QrReader> {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: DetectorClass }
  // On some systems it exists in name only: it would never find anything.
  if (!BarcodeDetector || !(await BarcodeDetector.getSupportedFormats()).includes(FORMAT)) return ownReader()
  const detector = new BarcodeDetector({ formats: [FORMAT] })
  return async video => (await detector.detect(video))[0]?.rawValue
}

async function ownReader(): Promise<QrReader> {
  const { default: readQr } = await import('jsqr')
  const canvas = new OffscreenCanvas(EDGE_PX, EDGE_PX)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  return video => {
    const edge = Math.min(video.videoWidth, video.videoHeight)
    if (!context || edge === 0) return Promise.resolve(undefined)
    const [x, y] = [(video.videoWidth - edge) / 2, (video.videoHeight - edge) / 2]
    context.drawImage(video, x, y, edge, edge, 0, 0, EDGE_PX, EDGE_PX)
    const { data } = context.getImageData(0, 0, EDGE_PX, EDGE_PX)
    return Promise.resolve(readQr(data, EDGE_PX, EDGE_PX)?.data || undefined)
  }
}
