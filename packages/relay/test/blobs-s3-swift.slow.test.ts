// Blobs in OpenStack Swift: another store of objects that speaks S3, where it is installed.
import { describe } from 'vitest'
import { blobsAt } from './blob-places.ts'
import { blobStoreContract, sharedBlobsContract } from './blob-store.contract.ts'
import { hasSwift, SWIFT_MISSING, swiftOfFile } from './swift.ts'

const isMissing = !hasSwift()
if (isMissing) console.warn(SWIFT_MISSING)

describe.skipIf(isMissing)('OpenStack Swift', () => {
  const swift = swiftOfFile()
  const atSwift = async () => await blobsAt(await swift())
  blobStoreContract('Swift', atSwift)
  sharedBlobsContract('Swift', atSwift)
})
