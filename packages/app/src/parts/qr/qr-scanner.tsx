// The camera, looking for a QR code. It starts with a button, never automatically, and stops with the screen.
import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { inLanguages } from '../../i18n/language.ts'
import { begin } from '../attempt.ts'
import { Button } from '../fields/button.tsx'
import { makeQrReader } from './qr-reader.ts'
import './qr-scanner.css'
import '../icons/with-lazy-icons.ts'

const scannerWords = inLanguages({
  en: {
    scan: 'Scan with camera',
    picture: 'Camera preview',
    stop: 'Close camera',
    look: 'Point the camera at the code.',
    denied: 'Camera access is blocked for this site. Allow it in the address bar, or paste instead.',
    none: 'No camera found.',
  },
  ru: {
    scan: 'Сканировать камерой',
    picture: 'Изображение с камеры',
    stop: 'Закрыть камеру',
    look: 'Поднесите код к камере.',
    denied: 'Браузер не даёт странице камеру. Разрешите её в адресной строке или вставьте текст.',
    none: 'Камеры здесь нет.',
  },
})

type ScanState = 'off' | 'on' | 'denied' | 'none'

const LOOK_EVERY_MS = 150

/** `onText` receives every visible code, the same one once. */
export function QrScanner({ onText }: { onText: (text: string) => void }): VNode {
  const w = scannerWords.value
  const state = useSignal<ScanState>('off')
  const put = (next: ScanState) => () => {
    state.value = next
  }
  if (state.value === 'on')
    return (
      <div class="qr-scanner">
        <Camera state={state} onText={onText} />
        <p class="qr-scanner-words" role="status">
          {w.look}
        </p>
        <Button kind="quiet" onClick={put('off')}>
          {w.stop}
        </Button>
      </div>
    )
  return (
    <div class="qr-scanner">
      {state.value !== 'off' && (
        <p class="qr-scanner-words" role="alert">
          {w[state.value]}
        </p>
      )}
      <Button kind="plain" icon="scan-line" onClick={put('on')}>
        {w.scan}
      </Button>
    </div>
  )
}

function Camera({ state, onText }: { state: Signal<ScanState>; onText: (text: string) => void }): VNode {
  const video = useRef<HTMLVideoElement>(null)
  const hear = useRef(onText)
  hear.current = onText
  useEffect(() => {
    const over = new AbortController()
    const found = new Set<string>()
    const scan = async (): Promise<void> => {
      try {
        if (!video.current) return
        await lookFor({ video: video.current, over: over.signal }, text => {
          if (found.has(text)) return
          found.add(text)
          hear.current(text)
        })
      } catch (error) {
        if (over.signal.aborted) return
        state.value = error instanceof DOMException && error.name === 'NotAllowedError' ? 'denied' : 'none'
      }
    }
    begin(scan())
    return () => over.abort()
  }, [])
  return <video ref={video} class="qr-scanner-picture" aria-label={scannerWords.value.picture} muted playsInline />
}

/** Until it is over. The camera's light must not stay on after that, whenever that is. */
async function lookFor(
  place: { video: HTMLVideoElement; over: AbortSignal },
  tell: (text: string) => void,
): Promise<void> {
  const { video, over } = place
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
  try {
    const read = await makeQrReader()
    video.srcObject = stream
    if (!over.aborted) await video.play()
    while (!over.aborted) {
      const text = await read(video)
      if (text && !over.aborted) tell(text)
      await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
    }
  } finally {
    for (const track of stream.getTracks()) track.stop()
  }
}
