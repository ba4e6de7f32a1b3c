// A voice message during its recording: the microphone until it is sent or discarded.
import { Deferred } from '@postern/protocol'
import type { PreparedFile } from './prepare-file.ts'
import { voiceType } from './voice-type.ts'
import { readWave } from './voice-wave.ts'

const BITS_PER_SECOND = 32_000
const EXTENSIONS: Readonly<Record<string, string>> = { 'audio/ogg': 'ogg', 'audio/webm': 'webm', 'audio/mp4': 'm4a' }

export type VoiceRecording = {
  readonly startedMs: number
  /** Returns the recording. */
  finish(): Promise<PreparedFile>
  discard(): void
}

/** Rejects when the person or the browser refuses the microphone. */
export async function recordVoice(): Promise<VoiceRecording> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
  const mimeType = voiceType() ?? ''
  const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: BITS_PER_SECOND })
  const pieces: Blob[] = []
  const stopped = new Deferred()
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data))
  recorder.addEventListener('stop', () => stopped.resolve())
  recorder.start()
  const startedMs = performance.now()
  const stop = () => {
    if (recorder.state !== 'inactive') recorder.stop()
    for (const track of stream.getTracks()) track.stop()
  }
  return {
    startedMs,
    discard: stop,
    finish: async () => {
      const durationMs = Math.round(performance.now() - startedMs)
      stop()
      await stopped.promise
      return await voiceFile(pieces, { mimeType, durationMs })
    },
  }
}

async function voiceFile(pieces: Blob[], spoken: { mimeType: string; durationMs: number }): Promise<PreparedFile> {
  const type = spoken.mimeType.split(';', 1)[0] ?? ''
  const bytes = new Blob(pieces, { type })
  const name = `voice.${EXTENSIONS[type] ?? 'audio'}`
  const wave = await readWave(bytes, spoken.durationMs)
  const file = { name, type, size: bytes.size, kind: 'voice', duration_ms: spoken.durationMs } as const
  return { bytes, file: { ...file, ...(wave !== undefined && { wave }) } }
}
