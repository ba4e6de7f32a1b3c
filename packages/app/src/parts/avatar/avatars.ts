// The pictures of people for avatars: by the id of the account, which is that of the private chat.
import { signal } from '@preact/signals'
import { watch } from '../../link/link.ts'

const pictures = signal<Readonly<Record<string, string>>>({})

export const pictureKnownOf = (id: string): string | undefined => pictures.value[id]

export function startAvatars(): void {
  watch('faces', [], seen => {
    pictures.value = seen
  })
}
