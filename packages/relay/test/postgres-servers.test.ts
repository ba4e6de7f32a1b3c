// An address of a database with one host or several: its meaning, and which host is chosen.
import { describe, expect, test } from 'vitest'
import { Servers, serverAddresses } from '../src/store/postgres/connection/servers.ts'

describe('[RELAY-7.16] several servers in one address', () => {
  test('one host is that address', () => {
    for (const address of ['postgres://alice:secret@db/postern', 'postgresql://db:5433/postern?sslmode=require'])
      expect(serverAddresses(address)).toEqual([address])
  })

  test('each host gets an address, with all that stands around them', () => {
    const address =
      'postgres://alice:a%2Cb@one:5432,two,[::1]:5433/postern?sslmode=require&target_session_attrs=read-write'
    expect(serverAddresses(address)).toEqual(
      ['one:5432', 'two', '[::1]:5433'].map(host => `postgres://alice:a%2Cb@${host}/postern?sslmode=require`),
    )
  })

  test.each([
    ['mysql://db/postern', 'must be postgres://user:password@host:port/database'],
    ['postgres://one,,two/postern', 'before and after each comma'],
    ['postgres://one:port,two/postern', 'contains an invalid host or port'],
    ['postgres://one,two/postern?target_session_attrs=standby', 'target_session_attrs is read-write or primary'],
  ])('%s is refused with a reason', (address, reason) => {
    expect(() => serverAddresses(address)).toThrow(reason)
  })

  test('the one that was passed over is tried again after the others, and many who find out together move on once', () => {
    const servers = new Servers('postgres://one,two,three/postern')
    const first = servers.chosen
    servers.passOver(first)
    servers.passOver(first)
    expect(servers.chosen).toBe('postgres://two/postern')
    servers.passOver(servers.chosen)
    servers.passOver(servers.chosen)
    expect(servers.chosen).toBe(first)
  })
})
