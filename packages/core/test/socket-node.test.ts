// Node's socket to the relay: the frames of one turn, and those of the last turn.
import { once } from 'node:events'
import { type AddressInfo, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test as plain, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { connectNodeSocket } from '../src/relay-link/socket-node.ts'

const test = plain
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('server', async ({}, { onCleanup }) => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
    onCleanup(() => server.close())
    await once(server, 'listening')
    return server
  })
  /** A connection, and the frames that its other end has received. */
  .extend('line', async ({ server }) => {
    const { port } = server.address() as AddressInfo
    const opened = once(server, 'connection')
    const socket = connectNodeSocket(`ws://127.0.0.1:${port}`, { message: () => {}, closed: () => {} })
    const [peer] = await opened
    const heard: number[] = []
    peer.on('message', (data: Buffer) => heard.push(data[0] ?? 0))
    // Until this end knows that it is open, it sends nothing.
    const isHeard = () => {
      socket.send(Uint8Array.of(0))
      return heard.length > 0
    }
    await expect.poll(isHeard).toBe(true)
    return { socket, peer, heard }
  })

test('[CORE-3.6] the frames of a turn are one write', async ({ line: { socket, heard } }) => {
  const writes = [vi.spyOn(Socket.prototype, '_write'), vi.spyOn(Socket.prototype, '_writev' as '_write')]
  for (const frame of [1, 2, 3, 4, 5]) socket.send(Uint8Array.of(frame))
  await Promise.resolve()
  socket.send(Uint8Array.of(6))
  expect(writes.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(0)
  await nextTurn()
  expect(writes.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(1)
  for (const write of writes) write.mockRestore()
  await expect.poll(() => heard.filter(frame => frame > 0)).toEqual([1, 2, 3, 4, 5, 6])
})

test('[CORE-3.6] what was sent before the connection is closed goes out', async ({ line: { socket, peer, heard } }) => {
  socket.send(Uint8Array.of(7))
  socket.close()
  socket.send(Uint8Array.of(8))
  await once(peer, 'close')
  expect(heard.filter(frame => frame > 0)).toEqual([7])
})
