// Saves a file of a message where the person keeps files.
import { type FilePlace, openFile } from './opened-files.ts'

/** Under its own name, as bytes: the browser shows nothing of it in the page's name. */
export async function saveFile(place: FilePlace): Promise<void> {
  const opened = await openFile(place)
  if (!('url' in opened)) return
  const link = document.createElement('a')
  link.href = opened.url
  link.download = place.file.name
  link.click()
}
