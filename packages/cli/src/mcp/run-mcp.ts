// `postern mcp`: lets a program that starts its tools as processes use those of a gateway, over standard input and output.
import { type Env, personLimits } from '@postern/protocol'
import { stopSignal } from '@postern/protocol/node'
import { LineOutput } from '../person/line-output.ts'
import { McpBridge } from './bridge.ts'
import { readBridgeSettings } from './mcp-settings.ts'

/** Resolves with the exit code, when the input ends or at a signal. */
export async function runMcp(argv: readonly string[], env: Env): Promise<number> {
  const settings = readBridgeSettings(argv, env)
  const { signal, forget } = stopSignal()
  const output = new LineOutput(process.stdout)
  const until = AbortSignal.any([signal, output.closed])
  const warn = (line: string) => void process.stderr.write(`${line}\n`)
  const bridge = new McpBridge(settings, { output, warn, until })
  const end = () => void process.stdin.destroy()
  until.addEventListener('abort', end, { once: true })
  try {
    await bridge.passAll(process.stdin, { bytesMax: 4 * personLimits.lineBytesMax })
    return 0
  } finally {
    until.removeEventListener('abort', end)
    forget()
  }
}
