// Makes the names in a directory safe: a file's own sync says nothing of its name.
import { open } from 'node:fs/promises'

export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
