// A proxy with TLS, run with one of the files in deploy/proxy: only names, ports and certificates differ.
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'

const OUTPUT = 'output.log'
/** The logs that nginx writes unless a server says otherwise, as in Debian's package. */
const ACCESS = 'access.log'
const ERRORS = 'error.log'

const EXAMPLES = join(import.meta.dirname, '../../../deploy/proxy')

export type ProxyKind = 'caddy' | 'nginx'
type Program = ProxyKind | 'haproxy'

/** The ports of this machine in front of it and behind it. */
type Ports = { relay: number; hooks: number; publicRelay: number; publicHooks: number }

export const isInstalled = (program: Program): boolean => {
  try {
    execFileSync(program, [program === 'caddy' ? 'version' : '-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A port on which nobody listens at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await listening
  const address = server.address()
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  server.close(() => close())
  await closed
  if (address === null || typeof address === 'string') throw new Error('there is no port')
  return address.port
}

/** The certificate of `localhost` for a day, and its path. */
export function makeCertificate(directory: string): { certificate: string; key: string } {
  const [certificate, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  const words = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost'.split(' ')
  const names = ['-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', ['req', ...words, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  return { certificate, key }
}

type Started = { ports: Ports; directory: string; certificate: string; key: string }

export const startProxy = (kind: ProxyKind, started: Started): AsyncDisposable =>
  run(kind === 'caddy' ? caddy(started) : nginx(started), started.directory)

type Balanced = { relays: readonly [number, number]; port: number; directory: string; certificate: string; key: string }

/** HAProxy in front of two relays. */
export const startBalancer = (started: Balanced): AsyncDisposable => run(haproxy(started), started.directory)

const statsSocket = (directory: string): string => join(directory, 'haproxy.sock')

/** The state that HAProxy reports for each relay: `relays/one` is `UP`, or `DOWN`. */
export async function balancerStates(directory: string): Promise<Record<string, string>> {
  const socket = connect(statsSocket(directory))
  socket.end('show stat\n')
  const rows = (await textOf(socket)).split('\n').map(line => line.split(','))
  const [backend, server, state] = ['# pxname', 'svname', 'status'].map(name => rows[0]?.indexOf(name) ?? -1) as [
    number,
    number,
    number,
  ]
  const ours = rows.filter(row => /^(one|two)$/.test(row[server] ?? ''))
  return Object.fromEntries(ours.map(row => [`${row[backend]}/${row[server]}`, row[state]?.split(' ')[0] ?? '']))
}

/** Everything that a proxy has logged; complete after it has ended. */
export const proxyLogs = (directory: string): string =>
  [OUTPUT, ACCESS, ERRORS]
    .map(name => join(directory, name))
    .filter(path => existsSync(path))
    .map(path => readFileSync(path, 'utf8'))
    .join('')

type Command = { command: string; words: string[]; names?: Record<string, string> }

function run({ command, words, names }: Command, directory: string): AsyncDisposable {
  const home = join(directory, 'home')
  mkdirSync(home)
  const env = { PATH: process.env['PATH'], HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home, ...names }
  // Where a service manager keeps the program's output: it belongs to the logs.
  const output = openSync(join(directory, OUTPUT), 'a')
  const child = spawn(command, words, { env, stdio: ['ignore', output, output] })
  closeSync(output)
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  child.once('close', () => resolve())
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function caddy({ ports, directory, certificate, key }: Started) {
  const own = `\ttls ${certificate} ${key}`
  const text = changed(readFileSync(join(EXAMPLES, 'Caddyfile'), 'utf8'), [
    ['\n{\n', '\n{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n'],
    ['\n{$RELAY_HOST:relay.example} {', `\n{$RELAY_HOST:relay.example} {\n${own}`],
    ['\n{$HOOKS_HOST:hooks.example} {', `\n{$HOOKS_HOST:hooks.example} {\n${own}`],
  ])
  const path = join(directory, 'Caddyfile')
  writeFileSync(path, text)
  const names = {
    RELAY_HOST: `https://localhost:${ports.publicRelay}`,
    HOOKS_HOST: `https://localhost:${ports.publicHooks}`,
    RELAYS: `127.0.0.1:${ports.relay}`,
    GATEWAY: `127.0.0.1:${ports.hooks}`,
  }
  return { command: 'caddy', words: ['run', '--adapter', 'caddyfile', '--config', path], names }
}

function nginx({ ports, directory, certificate, key }: Started) {
  const at = (port: number, host: string): [string, string] => [
    `listen 443 ssl;\n  server_name ${host}`,
    `listen 127.0.0.1:${port} ssl;\n  server_name localhost`,
  ]
  const files = (host: string): [string, string][] => [
    [`/etc/letsencrypt/live/${host}/fullchain.pem`, certificate],
    [`/etc/letsencrypt/live/${host}/privkey.pem`, key],
  ]
  const text = changed(readFileSync(join(EXAMPLES, 'nginx.conf'), 'utf8'), [
    at(ports.publicRelay, 'relay.example'),
    at(ports.publicHooks, 'hooks.example'),
    ...files('relay.example'),
    ...files('hooks.example'),
    ['127.0.0.1:8090', `127.0.0.1:${ports.relay}`],
    ['127.0.0.1:8080', `127.0.0.1:${ports.hooks}`],
  ])
  const log = join(directory, ERRORS)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${join(directory, name)};`,
  )
  const around = `daemon off; worker_processes 1; pid ${join(directory, 'pid')}; error_log ${log}; events {}`
  const path = join(directory, 'nginx.conf')
  writeFileSync(
    path,
    `${around}\nhttp {\naccess_log ${join(directory, ACCESS)};\n${temporary.join('\n')}\n${text}\n}\n`,
  )
  return { command: 'nginx', words: ['-c', path, '-e', log] }
}

function haproxy({ relays, port, directory, certificate, key }: Balanced) {
  const both = join(directory, 'both.pem')
  writeFileSync(both, [certificate, key].map(path => readFileSync(path, 'utf8')).join(''))
  const text = changed(readFileSync(join(EXAMPLES, 'haproxy.cfg'), 'utf8'), [
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['/etc/haproxy/relay.example.pem', both],
    ['10.0.0.11:8090', `127.0.0.1:${relays[0]}`],
    ['10.0.0.12:8090', `127.0.0.1:${relays[1]}`],
  ])
  const path = join(directory, 'haproxy.cfg')
  writeFileSync(path, `global\n  stats socket ${statsSocket(directory)} level user\n${text}`)
  return { command: 'haproxy', words: ['-db', '-f', path] }
}

function changed(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`the example has no ${from} any more`)
    return before.replaceAll(from, to)
  }, text)
}
