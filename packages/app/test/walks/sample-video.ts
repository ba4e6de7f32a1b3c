// A short video that the browser itself has recorded, of a square that changes its colour.
import type { Page } from 'playwright-core'

type Filmed = { width: number; height: number; frames: number }

/** As WebM. */
export async function sampleVideo(page: Page, filmed: Filmed): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await page.evaluate(async ({ width, height, frames }) => {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width, height })
    const context = canvas.getContext('2d')
    if (!context) throw new Error('the browser has no canvas')
    const camera = new MediaRecorder(canvas.captureStream(), { mimeType: 'video/webm;codecs=vp8' })
    const { promise: over, resolve } = Promise.withResolvers<Blob>()
    camera.addEventListener('dataavailable', ({ data }) => resolve(data))
    camera.start()
    for (let frame = 0; frame < frames; frame++) {
      context.fillStyle = `hsl(${frame * 17} 80% 50%)`
      context.fillRect(0, 0, width, height)
      await new Promise(drawn => requestAnimationFrame(drawn))
    }
    camera.stop()
    return [...new Uint8Array(await (await over).arrayBuffer())]
  }, filmed)
  return new Uint8Array(bytes)
}
