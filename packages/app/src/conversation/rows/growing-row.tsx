// A text that somebody is still making: in the place and in the form of the message that will replace it.
import type { VNode } from 'preact'
import type { GrowingText, HistoryLine } from '../../contract/objects.ts'
import { hueOf } from '../../parts/avatar/face.ts'
import { NameText } from '../../parts/text/name-text.tsx'
import { RichText } from '../../parts/text/rich-text.tsx'
import { useTalk } from '../talk.ts'
import { directionOf } from '../text-direction.ts'

type GrowingRowProps = { growing: GrowingText; before: HistoryLine | undefined }

/** Nothing in it can be pressed: it is no message yet. Screen readers read the message. */
export function GrowingRow({ growing: { person, text, entities }, before }: GrowingRowProps): VNode {
  const { isGroup } = useTalk()
  const startsGroup = before?.kind !== 'message' || before.message.from.id !== person.id
  return (
    <div class={startsGroup ? 'row row-first' : 'row'} data-growing={person.id} aria-hidden="true" inert>
      {isGroup && <span class="row-face" />}
      <div class="row-column">
        <div class="bubble bubble-tail">
          {isGroup && startsGroup && (
            <div class="bubble-from" style={{ '--hue': String(hueOf(person.id)) }}>
              <NameText name={person.name} />
            </div>
          )}
          <div class="bubble-body" dir={directionOf(text)}>
            <span class="bubble-text">
              <RichText text={text} entities={entities} />
            </span>
          </div>
        </div>
      </div>
    </div>
  )
}
