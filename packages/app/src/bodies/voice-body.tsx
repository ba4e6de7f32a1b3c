// A voice message: one button, a progress line, and the time.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { lengthOf } from '../i18n/sizes.ts'
import { begin } from '../parts/attempt.ts'
import { faultText } from '../parts/fault-words.ts'
import { Icon } from '../parts/icons/icon.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { type FilePlace, openFile } from './opened-files.ts'
import { useOpenedFile } from './use-opened-file.ts'
import './voice-body.css'
import { bodyWords } from './words.ts'

const STEP_SEC = 0.1

export function VoiceBody({ place }: { place: FilePlace }): VNode {
  const { state } = useOpenedFile(place, 'asked')
  const audio = useRef<HTMLAudioElement>(null)
  const isPlaying = useSignal(false)
  const atSec = useSignal(0)
  // Some recordings do not contain their duration: then the message has it.
  const lengthSec = (place.file.duration_ms ?? 0) / 1000
  const w = bodyWords.value
  const toggle = async (): Promise<void> => {
    if (isPlaying.value) return audio.current?.pause()
    if ((await openFile(place)).kind === 'open') await audio.current?.play()
  }
  return (
    <div class="voice-body" role="group" aria-label={w.voice}>
      <button
        class="voice-body-button"
        type="button"
        aria-label={isPlaying.value ? w.pause : w.play}
        onClick={() => begin(toggle())}
      >
        {state.kind === 'opening' ? <Spinner /> : <Icon name={isPlaying.value ? 'pause' : 'play'} size={22} />}
      </button>
      <input
        class="voice-body-line"
        type="range"
        min={0}
        max={lengthSec}
        step={STEP_SEC}
        value={atSec.value}
        aria-label={w.position}
        aria-valuetext={lengthOf(atSec.value * 1000)}
        onInput={event => {
          if (audio.current) audio.current.currentTime = event.currentTarget.valueAsNumber
        }}
      />
      <span class="voice-body-time">
        {state.kind === 'failed'
          ? faultText(state.fault)
          : lengthOf((isPlaying.value ? atSec.value : lengthSec) * 1000)}
      </span>
      <audio
        ref={audio}
        {...(state.kind === 'open' && { src: state.url })}
        onPlay={() => void (isPlaying.value = true)}
        onPause={() => void (isPlaying.value = false)}
        onTimeUpdate={event => void (atSec.value = event.currentTarget.currentTime)}
        onEnded={() => void (atSec.value = 0)}
      />
    </div>
  )
}
