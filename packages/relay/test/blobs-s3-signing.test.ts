// Our signatures against the examples that Amazon publishes for Signature Version 4 with the Authorization header.
import { expect, test } from 'vitest'
import { signRequest } from '../src/blobs/s3/sign-request.ts'

/** The keys, the time and the bucket of all examples. */
const signer = {
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    sessionToken: undefined,
  },
  region: 'us-east-1',
  nowMs: Date.UTC(2013, 4, 24),
}
const host = 'examplebucket.s3.amazonaws.com'
const get = { method: 'GET', path: '/', query: {}, headers: { host }, body: [] }

test.for([
  {
    what: 'the first bytes of an object',
    asked: { ...get, path: '/test.txt', headers: { host, range: 'bytes=0-9' } },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    what: 'an object to be stored',
    asked: {
      ...get,
      method: 'PUT',
      path: '/test%24file.text',
      headers: { host, date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      body: [Buffer.from('Welcome to '), Buffer.from('Amazon S3.')],
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    what: 'a parameter without a value',
    asked: { ...get, query: { lifecycle: '' } },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    what: 'a list',
    asked: { ...get, query: { prefix: 'J', 'max-keys': '2' } },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
])('[RELAY-8.10] $what is signed as published', ({ asked, signature }) => {
  expect(signRequest(asked, signer)['authorization']).toMatch(new RegExp(`Signature=${signature}$`))
})
