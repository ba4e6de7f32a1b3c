// For `node --import`: the start fails in the function that POSTERN_FAIL_IN names. The resource that POSTERN_LEAK names
// stays open.
import { CodedError } from '@postern/protocol'
import { type StartFunctions, StartSteps } from '@postern/testkit/start-steps'

const functions = JSON.parse(process.env['POSTERN_FAIL_IN'] ?? '{}') as StartFunctions
const steps = new StartSteps(functions)
steps.onStep = () => {
  if (process.env['POSTERN_LEAK'] !== undefined) setInterval(() => undefined, 60_000)
  throw new CodedError('storage-full')
}
