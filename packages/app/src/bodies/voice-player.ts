// Voice messages on this page: one plays at a time, all at one speed, and the next one follows.
import { signal } from '@preact/signals'

const SPEEDS = [1, 1.5, 2] as const

export const voiceSpeed = signal<number>(1)

export const nextSpeed = (speed: number): number =>
  SPEEDS[(SPEEDS.findIndex(one => one === speed) + 1) % SPEEDS.length] ?? 1

/** The voice messages that are drawn, by their elements. */
const drawn = new Map<Element, () => void>()
let playing: HTMLMediaElement | undefined

/** Until the returned function is called. */
export function addVoice(element: Element, play: () => void): () => void {
  drawn.set(element, play)
  return () => void drawn.delete(element)
}

/** Another one that plays is paused. */
export function noteVoice(audio: HTMLMediaElement): void {
  if (playing !== audio) playing?.pause()
  playing = audio
}

/** In the conversation: the next voice message among the loaded rows. */
export function playNext(element: Element): void {
  const inChat = [...(element.closest('[role="log"]')?.querySelectorAll('.voice-body') ?? [])]
  const next = inChat[inChat.indexOf(element) + 1]
  if (next) drawn.get(next)?.()
}
