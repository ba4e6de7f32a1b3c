// Whether this browser records voices, and as what.

/** What every app plays comes first. */
const TYPES = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4']

/** Undefined where there is no microphone to ask for, or no type that others play. */
export const voiceType = (): string | undefined =>
  'mediaDevices' in navigator && 'MediaRecorder' in globalThis
    ? TYPES.find(type => MediaRecorder.isTypeSupported(type))
    : undefined
