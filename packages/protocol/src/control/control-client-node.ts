// Sends a command to the process that runs on a data directory, through its control socket.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { CodedError } from '../errors.ts'
import { systemCodeOf } from '../system-faults.ts'
import { type ControlRequest, readLine } from './control-lines.ts'
import { controlPath } from './control-path-node.ts'

type Asked = {
  request: ControlRequest
  onProgress?: (step: object) => void
  /** Nobody waits for the answer any more; the call fails as if the process had ended. */
  signal?: AbortSignal
}

/** Throws `not-running` when no process listens, and any error that the process answers with. */
export async function askControl(directory: string, { request, onProgress, signal }: Asked): Promise<object> {
  const socket = await reached(directory)
  const leave = (): void => void socket.destroy()
  signal?.addEventListener('abort', leave)
  try {
    if (signal?.aborted) leave()
    socket.write(`${JSON.stringify(request)}\n`)
    for await (const line of createInterface({ input: socket })) {
      const told = readLine(line)
      if ('done' in told) return told.done
      onProgress?.(told.progress)
    }
  } catch (error) {
    // The socket error of a killed process does not help the operator. The error below says that the process ended.
    if (error instanceof CodedError) throw error
  } finally {
    signal?.removeEventListener('abort', leave)
    socket.destroy()
  }
  const message = 'The process ended before it answered. Check that it is running, and try again.'
  throw new CodedError('not-running', { directory }, { message })
}

async function reached(directory: string): Promise<Socket> {
  const socket = connect(controlPath(directory))
  try {
    await once(socket, 'connect')
    // A process that is killed in the middle ends the lines; the socket error adds nothing.
    socket.on('error', () => socket.destroy())
    return socket
  } catch (cause) {
    throw faultOf(directory, cause)
  }
}

function faultOf(directory: string, cause: unknown): unknown {
  const code = systemCodeOf(cause)
  if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR')
    return new CodedError('not-running', { directory }, { cause })
  if (code !== 'EACCES' && code !== 'EPERM') return cause
  const why = 'it belongs to another user. Run the command as that user or as root'
  return new CodedError('database-unusable', { directory, why }, { cause })
}
