// The stage of the viewer: it follows fingers, the wheel and the keyboard, and moves and enlarges what is on it.
import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { type GestureEnd, ViewerGesture } from './viewer-gesture.ts'
import './viewer-stage.css'
import { type Point, wholeIn, type ZoomFrame } from './zoom.ts'

/** The controls of a video are at its lower edge: a finger there moves the video's own position. */
const CONTROLS_PX = 72
const WHEEL_STEP = 0.002
const KEY_FACTORS: Readonly<Record<string, number>> = { '+': 1.5, '=': 1.5, '-': 1 / 1.5, '0': 0 }

type ViewerStageProps = { canZoom: boolean; onEnd: (end: GestureEnd) => void; children: ComponentChildren }

export function ViewerStage({ canZoom, onEnd, children }: ViewerStageProps): VNode {
  const stage = useRef<HTMLDivElement>(null)
  const gesture = useMemo(() => new ViewerGesture({ canZoom }), [canZoom])
  const shown = useSignal({ zoom: gesture.zoom, drag: gesture.drag })
  const fingerOf = (event: PointerEvent) => ({
    id: event.pointerId,
    at: pointOf(event, stage.current),
    ms: event.timeStamp,
    by: event.pointerType === 'mouse' ? ('mouse' as const) : ('touch' as const),
  })
  const act = (change: (frame: ZoomFrame) => void): void => {
    if (!stage.current) return
    change(frameOf(stage.current))
    shown.value = { zoom: gesture.zoom, drag: gesture.drag }
  }
  useLayoutEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      const factor = KEY_FACTORS[key]
      if (factor !== undefined) act(frame => gesture.zoomBy(factor, { x: 0, y: 0 }, frame))
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [gesture])
  const { zoom, drag } = shown.value
  return (
    <div
      ref={stage}
      class="viewer-stage"
      onPointerDown={event => {
        if (event.button === 0 && !isOnControls(event)) gesture.down(fingerOf(event))
      }}
      onPointerMove={event => {
        if (event.buttons === 0) return
        act(frame => gesture.move(fingerOf(event), frame))
        if (gesture.isDragging && !event.currentTarget.hasPointerCapture(event.pointerId))
          event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerUp={event => act(frame => onEnd(gesture.up(fingerOf(event), frame)))}
      onDblClick={event => {
        if (isMouse(event)) act(frame => gesture.toggle(pointOf(event, stage.current), frame))
      }}
      onPointerCancel={event => act(() => gesture.cancel(event.pointerId))}
      onWheel={event => {
        if (!canZoom) return
        event.preventDefault()
        const factor = Math.exp(-event.deltaY * WHEEL_STEP)
        act(frame => gesture.zoomBy(factor, pointOf(event, stage.current), frame))
      }}
    >
      <div
        class={zoom.scale > 1 ? 'viewer-stage-moved viewer-stage-close' : 'viewer-stage-moved'}
        style={{ transform: `translate(${zoom.x + drag.x}px, ${zoom.y + drag.y}px) scale(${zoom.scale})` }}
      >
        {children}
      </div>
    </div>
  )
}

/** Relative to the middle of the stage. */
function pointOf({ clientX, clientY }: MouseEvent, stage: HTMLElement | null): Point {
  const box = stage?.getBoundingClientRect()
  return box ? { x: clientX - box.x - box.width / 2, y: clientY - box.y - box.height / 2 } : { x: 0, y: 0 }
}

function frameOf(stage: HTMLElement): ZoomFrame {
  const size = { width: stage.clientWidth, height: stage.clientHeight }
  const picture = stage.querySelector('img')
  const isHere = picture && picture.naturalWidth > 0
  return {
    stage: size,
    picture: isHere ? wholeIn(size, { width: picture.naturalWidth, height: picture.naturalHeight }) : size,
  }
}

/** A browser may report a double tap, too, which the fingers have told already. */
const isMouse = (event: MouseEvent): boolean => !(event instanceof PointerEvent) || event.pointerType === 'mouse'

const isOnControls = ({ target, clientY }: PointerEvent): boolean =>
  target instanceof HTMLVideoElement && target.getBoundingClientRect().bottom - clientY < CONTROLS_PX
