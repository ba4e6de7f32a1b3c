// A voice message: one button, its wave or a line, the time and the speed.
import { useSignal } from '@preact/signals'
import type { RefObject, VNode } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { hintsOf } from '../contract/objects.ts'
import { lengthOf } from '../i18n/sizes.ts'
import { begin } from '../parts/attempt.ts'
import { faultText } from '../parts/fault-words.ts'
import { Icon } from '../parts/icons/icon.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { type FilePlace, openFile } from './opened-files.ts'
import { useOpenedFile } from './use-opened-file.ts'
import { barsOf, barsPath } from './voice-bars.ts'
import './voice-body.css'
import { addVoice, nextSpeed, noteVoice, playNext, voiceSpeed } from './voice-player.ts'
import { bodyWords } from './words.ts'

const STEP_SEC = 0.1

export function VoiceBody({ place }: { place: FilePlace }): VNode {
  const { state } = useOpenedFile(place, 'asked')
  const audio = useRef<HTMLAudioElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const isPlaying = useSignal(false)
  const atSec = useSignal(0)
  // Some recordings do not contain their duration: then the message has it.
  const lengthSec = (place.file.duration_ms ?? 0) / 1000
  const w = bodyWords.value
  const toggle = async (): Promise<void> => {
    if (isPlaying.value) return audio.current?.pause()
    if ((await openFile(place)).kind !== 'open' || !audio.current) return
    audio.current.currentTime = atSec.value
    await audio.current.play()
  }
  useLayoutEffect(() => (box.current ? addVoice(box.current, () => begin(toggle())) : undefined), [place.message])
  return (
    <div ref={box} class="voice-body" role="group" aria-label={w.voice}>
      <button
        class="voice-body-button"
        type="button"
        aria-label={isPlaying.value ? w.pause : w.play}
        onClick={() => begin(toggle())}
      >
        {state.kind === 'opening' ? <Spinner /> : <Icon name={isPlaying.value ? 'pause' : 'play'} size={22} />}
      </button>
      <Position
        wave={hintsOf(place.file).wave}
        atSec={atSec.value}
        lengthSec={lengthSec}
        onSeek={sec => {
          atSec.value = sec
          if (audio.current) audio.current.currentTime = sec
        }}
      />
      <span class="voice-body-time">
        {state.kind === 'failed'
          ? faultText(state.fault)
          : lengthOf((isPlaying.value ? atSec.value : lengthSec) * 1000)}
      </span>
      {(isPlaying.value || atSec.value > 0) && <Speed audio={audio} />}
      <audio
        ref={audio}
        {...(state.kind === 'open' && { src: state.url })}
        onPlay={event => {
          event.currentTarget.playbackRate = voiceSpeed.value
          noteVoice(event.currentTarget)
          isPlaying.value = true
        }}
        onPause={() => void (isPlaying.value = false)}
        onTimeUpdate={event => void (atSec.value = event.currentTarget.currentTime)}
        onEnded={() => {
          atSec.value = 0
          if (box.current) playNext(box.current)
        }}
      />
    </div>
  )
}

type PositionProps = { wave: string | undefined; atSec: number; lengthSec: number; onSeek: (sec: number) => void }

/** A slider; over the bars of a wave it is invisible itself. */
function Position({ wave, atSec, lengthSec, onSeek }: PositionProps): VNode {
  const path = useMemo(() => barsPath(barsOf(wave)), [wave])
  const share = lengthSec > 0 ? Math.min(1, atSec / lengthSec) : 0
  const played = { '--played': `${100 * share}%` }
  const slider = (
    <input
      class={path ? 'voice-body-line voice-body-over' : 'voice-body-line'}
      type="range"
      min={0}
      max={lengthSec}
      step={STEP_SEC}
      value={atSec}
      style={path ? {} : played}
      aria-label={bodyWords.value.position}
      aria-valuetext={lengthOf(atSec * 1000)}
      onInput={event => onSeek(event.currentTarget.valueAsNumber)}
    />
  )
  if (!path) return slider
  return (
    <span class="voice-body-wave" style={played}>
      <svg class="voice-body-bars" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <path d={path} />
      </svg>
      <svg class="voice-body-bars voice-body-played" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <path d={path} />
      </svg>
      {slider}
    </span>
  )
}

const Speed = ({ audio }: { audio: RefObject<HTMLAudioElement | null> }): VNode => (
  <button
    class="voice-body-speed"
    type="button"
    aria-label={bodyWords.value.speed(voiceSpeed.value)}
    onClick={() => {
      voiceSpeed.value = nextSpeed(voiceSpeed.value)
      if (audio.current) audio.current.playbackRate = voiceSpeed.value
    }}
  >
    {voiceSpeed.value}×
  </button>
)
