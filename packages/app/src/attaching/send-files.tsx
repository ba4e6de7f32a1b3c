// Files before they are sent: their types, a caption, and whether photos are sent unchanged.
import { parseMarkdown } from '@postern/protocol/markdown'
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import type { EntityView } from '../contract/objects.ts'
import { charsLeft } from '../i18n/chars-left.ts'
import { sizeOf } from '../i18n/sizes.ts'
import { call } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Dialog } from '../parts/dialogs/dialog.tsx'
import { ask } from '../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { isDecodable } from '../parts/fields/picked-picture.ts'
import { Switch } from '../parts/fields/switch.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { FileLine } from '../parts/file-line.tsx'
import { Icon } from '../parts/icons/icon.tsx'
import { IconButton } from '../parts/icons/icon-button.tsx'
import { showToast } from '../parts/toasts/toast-list.ts'
import { AlbumIds } from './album-ids.ts'
import { isTooLarge, prepareFile } from './prepare-file.ts'
import './send-files.css'
import { attachingWords } from './words.ts'

export type Destination = { chat: string; reply_to?: string | undefined }

type Choice = { files: File[]; caption: string; sending: 'as-photo' | 'as-file' }

/** Asks first; returns whether anything was sent. The caption goes with the first of several. */
export async function sendFiles(to: Destination, picked: readonly File[]): Promise<'sent' | 'kept'> {
  for (const { name } of picked.filter(isTooLarge))
    showToast({ kind: 'error', text: attachingWords.value.tooLarge(name) })
  const files = picked.filter(file => !isTooLarge(file))
  if (files.length === 0) return 'kept'
  const choice = await ask<Choice | undefined>(answer => <SendFilesDialog files={files} onAnswer={answer} />)
  if (!choice || choice.files.length === 0) return 'kept'
  const albums = new AlbumIds()
  for (const [at, file] of choice.files.entries()) {
    const { bytes, file: prepared } = await prepareFile(file, choice.sending)
    await call('sendFile', {
      bytes,
      file: choice.files.length > 1 ? albums.mark(prepared) : prepared,
      chat: to.chat,
      ...(at === 0 && choice.caption !== '' && parsedCaption(choice.caption)),
      ...(at === 0 && to.reply_to !== undefined && { reply_to: to.reply_to }),
    })
  }
  return 'sent'
}

type SendFilesDialogProps = { files: File[]; onAnswer: (choice: Choice | undefined) => void }

function SendFilesDialog({ files, onAnswer }: SendFilesDialogProps): VNode {
  const left = useSignal(files)
  const caption = useSignal('')
  const asFile = useSignal(false)
  const w = attachingWords.value
  const charsOver = -(charsLeft(caption.value) ?? 0)
  const remove = (file: File) => {
    left.value = left.value.filter(other => other !== file)
    if (left.value.length === 0) onAnswer(undefined)
  }
  const send = () =>
    onAnswer({ files: left.value, caption: caption.value.trim(), sending: asFile.value ? 'as-file' : 'as-photo' })
  return (
    <Dialog title={w.sendFiles(left.value.length)} onClose={() => onAnswer(undefined)}>
      <ul class="send-files">
        {left.value.map(file => (
          <FileRow key={`${file.name} ${file.size} ${file.lastModified}`} file={file} onRemove={() => remove(file)} />
        ))}
      </ul>
      <TextField
        label={w.caption}
        value={caption.value}
        fault={charsOver > 0 ? w.captionLong(charsOver) : undefined}
        autofocus
        onInput={text => void (caption.value = text)}
      />
      {left.value.some(({ type }) => type.startsWith('image/')) && (
        <Switch label={w.asFile} hint={w.asFileHint} on={asFile.value} onChange={on => void (asFile.value = on)} />
      )}
      <ButtonPair>
        <Button kind="plain" onClick={() => onAnswer(undefined)}>
          {w.cancel}
        </Button>
        <Button disabled={charsOver > 0} onClick={send}>
          {w.send}
        </Button>
      </ButtonPair>
    </Dialog>
  )
}

function FileRow({ file, onRemove }: { file: File; onRemove: () => void }): VNode {
  const url = useSignal<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (!/^image\/(jpeg|png|webp)$/.test(file.type)) return
    const made = URL.createObjectURL(file)
    const show = async (): Promise<void> => {
      if (await isDecodable(file)) url.value = made
    }
    begin(show())
    return () => URL.revokeObjectURL(made)
  }, [file])
  return (
    <li class="send-files-row">
      <FileLine
        sign={url.value ? <img class="send-files-picture" src={url.value} alt="" /> : <Icon name="file" />}
        name={file.name}
        facts={sizeOf(file.size)}
        tone="quiet"
      />
      <IconButton icon="x" label={attachingWords.value.remove(file.name)} onClick={onRemove} />
    </li>
  )
}

/** Markdown, as in the field of a chat. */
function parsedCaption(typed: string): { text: string; entities?: EntityView[] } {
  const { text, entities } = parseMarkdown(typed)
  return { text, ...(entities.length > 0 && { entities }) }
}
