// Uploads by hand, for senders that no library would be: their head, and the bytes that a test writes.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestGateway, TestPerson } from '@postern/testkit'

export const partHead = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
export const formEnd = '\r\n--b--\r\n'

/** An upload by hand: its head, and the bytes that the test writes. */
export function beginUpload(
  { gateway, to }: { gateway: TestGateway; to: TestPerson },
  length: number | 'chunked',
): Socket {
  const socket = connect(gateway.port, '127.0.0.1')
  socket.on('error', () => {})
  const size = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  socket.write(
    `POST /v1/chats/${to.id}/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\n${size}\r\n\r\n`,
  )
  return socket
}

export async function answerOf(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return bytes.toString()
}
