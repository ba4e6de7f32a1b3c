// The size and duration of a video, as far as the browser can tell.
import { Deferred } from '@postern/protocol'

/** A browser that has not read the head of a video by then will not. */
const MEASURED_WITHIN_MS = 5_000

export type VideoMeasures = { width?: number; height?: number; duration_ms?: number }

export async function measureVideo(bytes: Blob): Promise<VideoMeasures> {
  const url = URL.createObjectURL(bytes)
  const video = document.createElement('video')
  const read = new Deferred<VideoMeasures>()
  const timer = setTimeout(() => read.resolve({}), MEASURED_WITHIN_MS)
  video.addEventListener('loadedmetadata', () => read.resolve(measuresOf(video)))
  video.addEventListener('error', () => read.resolve({}))
  video.preload = 'metadata'
  video.muted = true
  video.src = url
  try {
    return await read.promise
  } finally {
    clearTimeout(timer)
    video.removeAttribute('src')
    URL.revokeObjectURL(url)
  }
}

const measuresOf = ({ videoWidth, videoHeight, duration }: HTMLVideoElement): VideoMeasures => ({
  ...(videoWidth > 0 && videoHeight > 0 && { width: videoWidth, height: videoHeight }),
  ...(Number.isFinite(duration) && { duration_ms: Math.round(duration * 1000) }),
})
