// A store of objects in a process of its own. It is in memory: the way to it is measured, and no disk behind it.
import { S3Server } from '@postern/testkit/s3'
import { serveParent } from '../processes/parent.ts'

const server = await S3Server.start()
serveParent({
  state: { address: server.address('bench'), environment: server.environment },
  // What was measured is not to fill the memory.
  answers: { empty: () => server.store.objects.clear() },
  stop: () => server.stop(),
})
