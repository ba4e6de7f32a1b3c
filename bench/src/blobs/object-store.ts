// An object store in a separate process. It is in memory: the network path is measured, without a disk behind it.
import { S3Server } from '@postern/testkit/s3'
import { serveParent } from '../processes/parent.ts'

const server = await S3Server.start()
serveParent({
  state: { address: server.address('bench'), environment: server.environment },
  // Measured data must not fill the memory.
  answers: { empty: () => server.store.objects.clear() },
  stop: () => server.stop(),
})
