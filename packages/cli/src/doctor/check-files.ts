// A file of a kilobyte to the relay and back, through the running gateway: only it has an account, and nobody receives
// anything.
import { type Clock, doctorLimits, isCoded } from '@postern/protocol'
import { askWithin } from './ask-running.ts'
import { clauseOf, type Diagnosis, fail, ok, warn } from './finding.ts'

type FilesCase = { directory: string; clock: Clock }

export async function checkFiles({ directory, clock }: FilesCase): Promise<Diagnosis[]> {
  const { fileWithinMs, fileBytes } = doctorLimits
  try {
    await askWithin(directory, { command: 'try-file', timeoutMs: fileWithinMs, clock })
    return [ok('files', `a file of ${fileBytes} bytes was uploaded to the relay and downloaded again`)]
  } catch (error) {
    const todo =
      'check that the proxy passes /blobs/ with all methods and large bodies, and that the relay has free space'
    if (isCoded(error, 'send-in-doubt'))
      return [
        fail('files', {
          text: `a test file did not come back from the relay within ${fileWithinMs / 1000} seconds`,
          todo,
        }),
      ]
    if (isCoded(error, 'stopping', 'not-running'))
      return [warn('files', { text: 'the gateway stopped during the check', todo: 'look again' })]
    return [fail('files', { text: `a test file could not be sent to the relay and back: ${clauseOf(error)}`, todo })]
  }
}
