// The component for each kind of message: one row per kind of content.
import type { ComponentType, VNode } from 'preact'
import { FileBody } from '../../bodies/file-body.tsx'
import type { FilePlace } from '../../bodies/opened-files.ts'
import { PhotoBody } from '../../bodies/photo-body.tsx'
import { VideoBody } from '../../bodies/video-body.tsx'
import { VoiceBody } from '../../bodies/voice-body.tsx'
import type { FileInfo, Message } from '../../contract/objects.ts'
import { begin } from '../../parts/attempt.ts'
import { ask } from '../../parts/dialogs/dialogs.tsx'
import { lazyImport } from '../../parts/lazy-import.ts'
import { lazyPart } from '../../parts/lazy-part.tsx'
import { type Talk, useTalk } from '../talk.ts'
import { TextBody } from './text-body.tsx'

const RequestFile = lazyPart(() => import('../../bodies/request-file.tsx').then(({ RequestFile }) => RequestFile))
const viewer = lazyImport(() => import('../../bodies/photo-viewer.tsx'))

function Photo({ place }: { place: FilePlace }): VNode {
  const talk = useTalk()
  return <PhotoBody place={place} onShow={first => begin(showPhoto(talk, first))} />
}

const files: Record<FileInfo['kind'], ComponentType<{ place: FilePlace }>> = {
  photo: Photo,
  video: VideoBody,
  voice: VoiceBody,
  file: FileBody,
}

export function MessageBody({ message }: { message: Message }): VNode {
  const { file } = message
  const talk = useTalk()
  const File = file && (talk.isRequest.value ? RequestFile : files[file.kind])
  return (
    <>
      {File && <File place={{ chat: message.chat_id, message: message.id, file }} />}
      <TextBody message={message} />
    </>
  )
}

/** With the other photos in the window, in order. */
async function showPhoto(talk: Talk, first: FilePlace): Promise<void> {
  const { PhotoViewer } = await viewer()
  const photos = [...talk.messages.peek().values()]
    .filter(message => message.file?.kind === 'photo')
    .toSorted((one, other) => one.ts - other.ts)
    .flatMap(({ chat_id, id, file }) => (file ? [{ chat: chat_id, message: id, file }] : []))
  await ask<void>(answer => <PhotoViewer photos={photos} first={first} onClose={() => answer()} />)
}
