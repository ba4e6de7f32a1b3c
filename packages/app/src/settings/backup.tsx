// Protection of the account: a recovery file under six words, a full backup, the browser's promise, and moving elsewhere.
import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { BackupState } from '../contract/settings.ts'
import { dayOf } from '../i18n/dates.ts'
import { sizeOf } from '../i18n/sizes.ts'
import { call, useView } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { downloadFile } from '../parts/download-file.ts'
import { Button } from '../parts/fields/button.tsx'
import { Switch } from '../parts/fields/switch.tsx'
import { Option, OptionGroup } from '../parts/menus/option.tsx'
import { Page, PageSection, PageText } from '../parts/page.tsx'
import { nowMs } from '../parts/text/time-text.tsx'
import { showToast } from '../parts/toasts/toast-list.ts'
import { partsWords } from '../parts/words.ts'
import './backup.css'
import { keepWords } from './keep-words.ts'
import { askToMove } from './move-out.tsx'
import { Persistence } from './persistence.tsx'
import '../parts/icons/with-lazy-icons.ts'

/** The words are here until the screen is left, and nowhere else. */
type Words = Signal<string[] | undefined>
type Make = () => Promise<void>

const savedDay = (ms: number): string => {
  const day = dayOf(ms, nowMs.value)
  return keepWords.value.savedOn(day.charAt(0).toLowerCase() + day.slice(1))
}

function recoveryState({ recoverySavedMs, recoveryIsOld }: BackupState): string {
  if (recoverySavedMs === undefined) return keepWords.value.never
  return recoveryIsOld ? keepWords.value.old : savedDay(recoverySavedMs)
}

export function BackupScreen(): VNode {
  const w = keepWords.value
  const keeping = useView('keeping').value
  const words: Words = useSignal(undefined)
  const written = useSignal(false)
  const make = async (): Promise<void> => {
    words.value = (await call('newWords', {})).words
  }
  return (
    <Page
      title={w.title}
      foot={keeping && <Foot keeping={keeping} words={words} written={written.value} onMake={make} />}
    >
      <PageText>{w.text}</PageText>
      {keeping && (
        <Option
          icon="file-key"
          title={w.recovery}
          text={keeping.recoveryIsOld ? `${w.recoveryText} ${w.recoveryOld}` : w.recoveryText}
          aside={recoveryState(keeping)}
          warns={keeping.recoverySavedMs === undefined || keeping.recoveryIsOld}
        />
      )}
      {words.value && <WordList words={words.value} written={written} />}
      {keeping && <Backup keeping={keeping} onMake={words.value ? undefined : make} />}
      {keeping && <Others keeping={keeping} />}
    </Page>
  )
}

function WordList({ words, written }: { words: string[]; written: Signal<boolean> }): VNode {
  const w = keepWords.value
  return (
    <>
      <PageSection title={w.words} />
      <ol class="backup-words">
        {words.map((word, at) => (
          <li key={at} class="backup-word">
            <span class="backup-place">{at + 1}</span>
            <bdi>{word}</bdi>
          </li>
        ))}
      </ol>
      <PageText>{w.wordsText}</PageText>
      <OptionGroup>
        <Switch
          label={w.written}
          on={written.value}
          onChange={on => {
            written.value = on
          }}
        />
      </OptionGroup>
    </>
  )
}

function Backup({ keeping, onMake }: { keeping: BackupState; onMake: Make | undefined }): VNode {
  const w = keepWords.value
  const shown = {
    icon: 'database-backup',
    title: w.backup,
    text: `${w.backupText} ${sizeOf(keeping.usedBytes)}.`,
    aside: keeping.backupSavedMs === undefined ? undefined : savedDay(keeping.backupSavedMs),
  } as const
  return onMake ? <Option {...shown} leads="next" onClick={() => begin(onMake())} /> : <Option {...shown} />
}

function Others({ keeping }: { keeping: BackupState }): VNode {
  const w = keepWords.value
  return (
    <>
      <Persistence keeping={keeping} />
      <Option icon="smartphone" title={w.move} text={w.moveText} leads="next" onClick={() => begin(askToMove())} />
      <PageText>{w.used(sizeOf(keeping.usedBytes), sizeOf(keeping.quotaBytes))}</PageText>
    </>
  )
}

type FootShown = { keeping: BackupState; words: Words; written: boolean; onMake: Make }

/** First the words, then the files: a file is useless to a person who has not seen its words. */
function Foot({ keeping, words, written, onMake }: FootShown): VNode {
  const w = keepWords.value
  const save = async (kind: 'recoveryFile' | 'backupFile'): Promise<void> => {
    const { file, name } = await call(kind, { words: words.value ?? [] })
    downloadFile(file, name)
    showToast({ kind: 'note', text: w.savedFile })
  }
  // The words are made slow to guess, and so the file is slow to lock.
  const slow = partsWords.value.someSeconds
  if (!words.value)
    return (
      <Button icon="download" onClick={onMake}>
        {keeping.recoverySavedMs === undefined ? w.makeWords : w.saveAgain}
      </Button>
    )
  return (
    <>
      <Button icon="download" disabled={!written} whileBusy={slow} onClick={() => save('recoveryFile')}>
        {w.saveRecovery}
      </Button>
      <Button
        kind="quiet"
        icon="database-backup"
        disabled={!written}
        whileBusy={slow}
        onClick={() => save('backupFile')}
      >
        {w.saveBackup}
      </Button>
    </>
  )
}
