// Lets a person pick files of this device.
import { Deferred } from '@postern/protocol'

/** Empty when the person cancels. */
export async function pickFiles(accept?: string): Promise<File[]> {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  if (accept) input.accept = accept
  const picked = new Deferred<File[]>()
  input.addEventListener('change', () => picked.resolve([...(input.files ?? [])]))
  input.addEventListener('cancel', () => picked.resolve([]))
  input.click()
  return await picked.promise
}
