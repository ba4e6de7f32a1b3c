// `postern app` as a process.
import { builtApp } from '@postern/app/build'
import { freePort } from '@postern/testkit/free-port'
import { expect, test } from 'vitest'
import { Postern, run } from './process.ts'

test('[CLI-8.4] it prints the address, serves the built app there, and ends at a signal', async () => {
  // Not by the command, which would say so.
  await builtApp()
  const port = await freePort()
  const args = ['app', '--relay', 'https://relay.example', '--port', String(port)]
  await using app = new Postern(args)
  await app.says(`Open http://127.0.0.1:${port}/ in a browser of this machine.`)
  const page = await (await fetch(`http://127.0.0.1:${port}/`)).text()
  expect(page).toContain('data-relay="https://relay.example"')
  const [script = ''] = /\/assets\/[\w-]+\.js/.exec(page) ?? []
  expect((await fetch(`http://127.0.0.1:${port}${script}`)).status).toBe(200)

  const second = await run(args)
  expect([second.code, second.stdout]).toEqual([1, ''])
  expect(second.stderr).toMatch(/^--port: port \d+ is in use\. .*\n$/)

  app.signal('SIGTERM')
  expect([await app.exited, app.stderr]).toEqual([0, ''])
})
