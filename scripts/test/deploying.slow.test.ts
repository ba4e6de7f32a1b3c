// Types the commands of docs/deploying.md in their order, for each way to deploy, with real relays and gateways.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { compose } from '../deploying/compose-services.ts'
import { hasKubectl, kubectl } from '../deploying/kustomized-pods.ts'
import { Machine } from '../deploying/machine.ts'
import { isVerified, systemctl } from '../deploying/systemd-units.ts'
import { stepsOf } from '../snippets/page-steps.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/deploying.md'), 'utf8')

// oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
const test = base.extend('machine', async ({}, { onCleanup }) => {
  const machine = await Machine.open()
  onCleanup(() => machine.close())
  return machine
})

/** The steps below a heading. */
function stepsBelow(heading: string) {
  const part = page.split(/^(?=## )/m).find(text => text.startsWith(`## ${heading}\n`))
  if (part === undefined) throw new Error(`docs/deploying.md has no heading ${heading}`)
  return stepsOf(part)
}

async function type(machine: Machine, heading: string): Promise<void> {
  for (const step of stepsBelow(heading)) {
    if (step.kind === 'file') machine.writeFile(step.name, step.text)
    if (step.kind === 'shell') await machine.type(step.text)
  }
}

async function readiness(machine: Machine): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${machine.portOf(8080)}/readyz`)
  return await answer.text()
}

async function apiStatus(machine: Machine, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`http://127.0.0.1:${machine.portOf(8080)}/v1/me`, { headers })).status
}

if (!isVerified) console.warn('systemd-analyze is not installed here: the units are not verified')

test('systemd: the relay, an invite and the bot, then its token as a credential', async ({ machine }) => {
  machine.manage('systemctl', systemctl(machine))
  await type(machine, 'systemd')
  expect(await readiness(machine)).toBe('{}')
  expect(await apiStatus(machine, 'a-token-of-your-choice')).toBe(200)

  await type(machine, 'Secrets in files')
  const token = readFileSync(join(machine.root, 'etc/postern/helper.token'), 'utf8').trim()
  await answers(machine, '{}')
  expect([await apiStatus(machine, token), await apiStatus(machine, 'a-token-of-your-choice')]).toEqual([200, 401])
})

test('compose: the relay, an invite and the bot, with its token as a secret', async ({ machine }) => {
  machine.manage('docker', compose(machine))
  const steps = stepsBelow('Compose')
  for (const [at, step] of steps.entries()) {
    // The page says to add the code to .env before the last block.
    if (at === steps.length - 1) await machine.run('echo "RELAY_INVITE=$RELAY_INVITE" >> .env')
    if (step.kind === 'file') machine.writeFile(step.name, step.text)
    if (step.kind === 'shell') await machine.type(step.text)
  }
  const token = readFileSync(join(machine.root, 'deploy/compose/secrets/bot-token'), 'utf8').trim()
  expect([await readiness(machine), await apiStatus(machine, token)]).toEqual(['{}', 200])
})

if (!hasKubectl) console.warn('kubectl is not installed here: the manifests are not built')

test.skipIf(!hasKubectl)('Kubernetes: the bot names the missing invite, and is ready with it', async ({ machine }) => {
  const manager = kubectl(machine)
  const describePod = (pod: string) => manager(['describe', 'pod', pod])
  machine.manage('kubectl', manager)
  const steps = stepsBelow('Kubernetes')
  for (const [at, step] of steps.entries()) {
    if (at === steps.length - 1) {
      await answers(machine, 'by invite only')
      expect(await describePod('bot-0')).toContain('by invite only')
    }
    if (step.kind === 'file') machine.writeFile(step.name, step.text)
    if (step.kind === 'shell') await machine.type(step.text)
  }
  const secrets = readFileSync(join(machine.root, 'deploy/kubernetes/bot-secrets.env'), 'utf8')
  const token = /^BOT_TOKEN=(\S+)$/m.exec(secrets)?.[1] ?? ''
  expect([await readiness(machine), await apiStatus(machine, token)]).toEqual(['{}', 200])
})

const hasCaddy = spawnSync('caddy', ['version']).status === 0
if (!hasCaddy) console.warn('caddy is not installed here: its file is not validated')

test.skipIf(!hasCaddy)('a proxy: Caddy accepts the file with the names of the hosts', async ({ machine }) => {
  const [first] = stepsBelow('A proxy of your own')
  await machine.type(first?.text ?? '')
})

async function answers(machine: Machine, words: string): Promise<void> {
  await expect.poll(() => readiness(machine).catch(String), { interval: 50, timeout: 120_000 }).toContain(words)
}
