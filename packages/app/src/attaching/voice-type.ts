// Whether this browser can record voices, and in which format.

/** The format that every app plays comes first. */
const TYPES = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4']

/** Undefined without a microphone, or without a format that others can play. */
export const voiceType = (): string | undefined =>
  'mediaDevices' in navigator && 'MediaRecorder' in globalThis
    ? TYPES.find(type => MediaRecorder.isTypeSupported(type))
    : undefined
