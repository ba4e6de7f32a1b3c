// The sound of a new message: two short notes, generated here. There is no file to fetch.
import { inBackground } from '../../link/background.ts'

const NOTES_HZ = [659.3, 880] as const
const NOTE_S = 0.09
const LOUDNESS = 0.07

let context: AudioContext | undefined

async function play(): Promise<void> {
  context ??= new AudioContext()
  // A browser allows no sound before the person has touched the page: then it stays silent, later too.
  if (context.state !== 'running') await context.resume()
  const beginS = context.currentTime
  for (const [at, hz] of NOTES_HZ.entries()) playNote(context, hz, beginS + at * NOTE_S)
}

/** Swells and fades: cut off it would click. */
function playNote(audio: AudioContext, hz: number, atS: number): void {
  const gain = audio.createGain()
  gain.gain.setValueAtTime(0, atS)
  gain.gain.linearRampToValueAtTime(LOUDNESS, atS + 0.012)
  gain.gain.exponentialRampToValueAtTime(0.0001, atS + 2.4 * NOTE_S)
  const note = audio.createOscillator()
  note.frequency.value = hz
  note.connect(gain).connect(audio.destination)
  note.start(atS)
  note.stop(atS + 2.5 * NOTE_S)
}

export const playTone = (): void => inBackground(play(), 'no sound')
