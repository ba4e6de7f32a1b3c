// The same rules for blobs in every place: the relay's own directory, a shared one, object stores.
import { blobPlaceIn } from '../src/blobs/blob-place.ts'
import { blobsAt, placeOf, sharedDirectory, testS3 } from './blob-places.ts'
import { blobStoreContract, sharedBlobsContract } from './blob-store.contract.ts'
import { s3rverOfFile } from './s3rver.ts'

const atS3 = async () => await blobsAt(placeOf(await testS3()))
const s3rver = s3rverOfFile()
const atS3rver = async () => await blobsAt(await s3rver())
/** The developer's own object store: `s3://bucket/prefix?…`, with its keys in the environment. */
const given = process.env['POSTERN_TEST_S3']
const atGiven = async () => await blobsAt(blobPlaceIn(given, process.env))

blobStoreContract('the data directory', async () => await blobsAt(undefined))
blobStoreContract('a shared directory', async () => await blobsAt(sharedDirectory()))
blobStoreContract('a store of objects', atS3)
blobStoreContract('s3rver', atS3rver)

sharedBlobsContract('a shared directory', async () => await blobsAt(sharedDirectory()))
sharedBlobsContract('a store of objects', atS3)
sharedBlobsContract('s3rver', atS3rver)

if (given) {
  blobStoreContract('the store of POSTERN_TEST_S3', atGiven)
  sharedBlobsContract('the store of POSTERN_TEST_S3', atGiven)
}
