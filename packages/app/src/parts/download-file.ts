// Gives a file to the person, as a download.

/** Long enough for a browser to start, even on a phone that asks for a folder. */
const KEPT_MS = 60_000

export function downloadFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS)
}
