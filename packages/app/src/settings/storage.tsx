// Shows the space of the account on this device, and removes files that can be downloaded again.
import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { StorageUseView } from '../contract/objects.ts'
import { sizeOf } from '../i18n/sizes.ts'
import { call, useView } from '../link/link.ts'
import { attempt, begin } from '../parts/attempt.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import { Button } from '../parts/fields/button.tsx'
import { Option, OptionGroup } from '../parts/menus/option.tsx'
import { RadioList } from '../parts/menus/radio-list.tsx'
import { Page, PageSection, PageText } from '../parts/page.tsx'
import { showToast } from '../parts/toasts/toast-list.ts'
import { go } from '../router.ts'
import { keepWords } from './keep-words.ts'
import { Persistence } from './persistence.tsx'
import { storageWords } from './storage-words.ts'
import '../parts/icons/with-lazy-icons.ts'

const ages = ['7', '30', '90', '365', '0'] as const
type Age = (typeof ages)[number]

async function read(use: Signal<StorageUseView | undefined>): Promise<void> {
  const done = await attempt(call('storageUse', {}))
  if (done) use.value = done.value
}

export function Storage(): VNode {
  const w = storageWords.value
  const use = useSignal<StorageUseView | undefined>(undefined)
  const keeping = useView('keeping').value
  useEffect(() => begin(read(use)), [])
  return (
    <Page title={w.storage}>
      {use.value && <Uses use={use.value} />}
      {keeping && (
        <>
          <PageText>{keepWords.value.used(sizeOf(keeping.usedBytes), sizeOf(keeping.quotaBytes))}</PageText>
          <Persistence keeping={keeping} />
        </>
      )}
      {use.value && <Cleanup fileBytes={use.value.fileBytes} onRemoved={() => read(use)} />}
      {use.value && use.value.chats.length > 0 && <Largest chats={use.value.chats} />}
    </Page>
  )
}

function Uses({ use }: { use: StorageUseView }): VNode {
  const w = storageWords.value
  return (
    <OptionGroup>
      <Option icon="message-circle" title={w.messages} text={w.messagesText} aside={sizeOf(use.messageBytes)} />
      <Option icon="file" title={w.files} text={w.filesText} aside={sizeOf(use.fileBytes)} />
      <Option icon="key-round" title={w.other} text={w.otherText} aside={sizeOf(use.otherBytes)} />
    </OptionGroup>
  )
}

function Cleanup({ fileBytes, onRemoved }: { fileBytes: number; onRemoved: () => Promise<void> }): VNode {
  const w = storageWords.value
  const age = useSignal<Age>('30')
  const remove = async (): Promise<void> => {
    const isMeant = await confirm({ title: w.removeTitle, text: w.removeText, yes: w.remove, tone: 'danger' })
    if (!isMeant) return
    const { files, bytes } = await call('removeFiles', { olderThanDays: Number(age.value) })
    showToast({ kind: 'note', text: files === 0 ? w.nothingRemoved : w.removed(sizeOf(bytes)) })
    await onRemoved()
  }
  return (
    <>
      <RadioList
        legend={w.removeOlder}
        value={age.value}
        choices={ages.map(value => ({ value, word: w.ages[value] }))}
        onChange={value => void (age.value = value)}
      />
      <PageText>{w.removeHint}</PageText>
      <Button kind="plain" icon="trash" disabled={fileBytes === 0} onClick={remove}>
        {w.remove}
      </Button>
    </>
  )
}

const Largest = ({ chats }: Pick<StorageUseView, 'chats'>): VNode => (
  <>
    <PageSection title={storageWords.value.largest} />
    <OptionGroup>
      {chats.map(({ id, name, messages, files, bytes }) => (
        <Option
          key={id}
          face={<Avatar id={id} name={name} />}
          title={name}
          text={storageWords.value.counts(messages, files)}
          aside={sizeOf(bytes)}
          leads="next"
          onClick={() => go({ screen: 'media', chat: id })}
        />
      ))}
    </OptionGroup>
  </>
)
