// A file of a kilobyte to the relay and back, by the running gateway: only it has an account, and nobody is sent anything.
import { type Clock, doctorLimits, isCoded } from '@postern/protocol'
import { askWithin } from './ask-running.ts'
import { clauseOf, type Finding, fail, ok, warn } from './finding.ts'

type FilesCase = { directory: string; clock: Clock }

export async function lookAtFiles({ directory, clock }: FilesCase): Promise<Finding[]> {
  const { fileWithinMs, fileBytes } = doctorLimits
  try {
    await askWithin(directory, { command: 'try-file', timeoutMs: fileWithinMs, clock })
    return [ok('files', `${fileBytes} bytes went to the relay and came back`)]
  } catch (error) {
    const todo = 'see that the proxy passes /blobs/ with all methods and large bodies, and that the relay has room'
    if (isCoded(error, 'send-in-doubt'))
      return [fail('files', { text: `no file came back from the relay within ${fileWithinMs / 1000} seconds`, todo })]
    if (isCoded(error, 'stopping', 'not-running'))
      return [warn('files', { text: 'the gateway stopped meanwhile', todo: 'look again' })]
    return [fail('files', { text: `no file goes to the relay and back: ${clauseOf(error)}`, todo })]
  }
}
