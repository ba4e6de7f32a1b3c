// How loud a recording is from its beginning to its end, as a few bars.
const BARS = 48
/** A longer recording would take too much memory to look at. */
const LOOKED_AT_MS_MAX = 10 * 60_000
const RATE_HZ = 8_000
const LEVELS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** One character for each bar, relative to the loudest. Undefined for silence. */
export function waveOf(samples: Float32Array): string | undefined {
  const perBar = Math.max(1, Math.ceil(samples.length / BARS))
  const peaks: number[] = []
  for (let from = 0; from < samples.length; from += perBar)
    peaks.push(samples.subarray(from, from + perBar).reduce((most, value) => Math.max(most, Math.abs(value)), 0))
  const loudest = Math.max(0, ...peaks)
  if (loudest === 0) return undefined
  return peaks.map(peak => LEVELS[Math.round((peak / loudest) * (LEVELS.length - 1))]).join('')
}

/** Undefined when the browser cannot read its own recording: then the message goes without. */
export async function readWave(recording: Blob, durationMs: number): Promise<string | undefined> {
  if (durationMs > LOOKED_AT_MS_MAX) return undefined
  try {
    const sound = await new OfflineAudioContext(1, 1, RATE_HZ).decodeAudioData(await recording.arrayBuffer())
    return waveOf(sound.getChannelData(0))
  } catch {
    return undefined
  }
}
