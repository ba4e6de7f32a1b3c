// Makes the names in a directory durable: syncing a file does not sync its name.
import { open } from 'node:fs/promises'

export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
