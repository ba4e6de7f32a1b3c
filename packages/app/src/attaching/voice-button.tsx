// The button that records a voice message, and what takes the place of the field meanwhile.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { lengthOf } from '../i18n/sizes.ts'
import { call } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { IconButton } from '../parts/icons/icon-button.tsx'
import { lazyImport } from '../parts/lazy-import.ts'
import { showToast } from '../parts/toasts/toast-list.ts'
import type { Destination } from './send-files.tsx'
import './voice-button.css'
import type { VoiceRecording } from './voice-recording.ts'
import { attachingWords } from './words.ts'

const recorder = lazyImport(() => import('./voice-recording.ts'))

export function VoiceButton({ onRecording }: { onRecording: (recording: VoiceRecording) => void }): VNode {
  const w = attachingWords.value
  const start = async (): Promise<void> => {
    const { recordVoice } = await recorder()
    const recording = await recordVoice().catch(() => undefined)
    if (recording) onRecording(recording)
    else showToast({ kind: 'error', text: w.noMicrophone })
  }
  return <IconButton icon="mic" label={w.record} onClick={() => begin(start())} />
}

type Running = { to: Destination; recording: VoiceRecording; onOver: (how: 'sent' | 'discarded') => void }

/** Replaces the field while a person records a voice message. */
export function VoiceStrip({ to, recording, onOver }: Running): VNode {
  const spokenMs = useSignal(0)
  const w = attachingWords.value
  const strip = useRef<HTMLDivElement>(null)
  // The focus is lost with the button that began the recording.
  useEffect(() => {
    if (document.activeElement === document.body)
      strip.current?.querySelector<HTMLElement>('button:last-child')?.focus()
  }, [])
  useEffect(() => {
    const ticking = setInterval(() => {
      spokenMs.value = performance.now() - recording.startedMs
    }, 200)
    return () => {
      clearInterval(ticking)
      recording.discard()
    }
  }, [recording])
  const send = async (): Promise<void> => {
    const spoken = await recording.finish()
    onOver('sent')
    await call('sendFile', { ...spoken, chat: to.chat, ...(to.reply_to !== undefined && { reply_to: to.reply_to }) })
  }
  return (
    <div ref={strip} class="voice-strip" role="group" aria-label={w.recording}>
      <IconButton icon="trash" label={w.discard} onClick={() => onOver('discarded')} />
      <span class="voice-strip-sign" aria-hidden="true" />
      <span class="voice-strip-words">
        {w.recording} {lengthOf(spokenMs.value)}
      </span>
      <IconButton icon="arrow-up" label={w.send} onClick={() => begin(send())} />
    </div>
  )
}
