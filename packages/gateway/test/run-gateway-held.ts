// A gateway in a separate process. After a message from its parent it records no delivery to a webhook and says so, for tests that kill it there.
import { runGateway } from '../src/main.ts'
import { Confirmations } from '../src/webhook/confirmations.ts'

process.on('message', () => {
  Confirmations.prototype.write = () => {
    process.send?.('held')
    return new Promise(() => undefined)
  }
  process.send?.('holds')
})

process.exitCode = await runGateway([], process.env)
