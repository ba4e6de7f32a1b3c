// The component for each kind of message: one row per kind of content.
import type { ComponentType, VNode } from 'preact'
import { FileBody } from '../../bodies/file-body.tsx'
import type { FilePlace } from '../../bodies/opened-files.ts'
import { PhotoBody } from '../../bodies/photo-body.tsx'
import { VideoBody } from '../../bodies/video-body.tsx'
import { VoiceBody } from '../../bodies/voice-body.tsx'
import type { FileInfo, Message } from '../../contract/objects.ts'
import { begin } from '../../parts/attempt.ts'
import { lazyImport } from '../../parts/lazy-import.ts'
import { lazyPart } from '../../parts/lazy-part.tsx'
import { useTalk } from '../talk.ts'
import { TextBody } from './text-body.tsx'

const RequestFile = lazyPart(() => import('../../bodies/request-file.tsx').then(({ RequestFile }) => RequestFile))
export const viewer = lazyImport(() => import('../../bodies/media-viewer.tsx'))

type FileBodyProps = { place: FilePlace; message: Message }

const Photo = ({ place, message }: FileBodyProps): VNode => (
  <PhotoBody place={place} onShow={() => begin(viewer().then(({ showMedia }) => showMedia(message)))} />
)

const files: Record<FileInfo['kind'], ComponentType<FileBodyProps>> = {
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
      {File && <File place={{ chat: message.chat_id, message: message.id, file }} message={message} />}
      <TextBody message={message} />
    </>
  )
}
