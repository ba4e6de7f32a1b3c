// The sealing of pushes, by the values of RFC 8291 and by opening what is sealed; and the tokens of RFC 8292.
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { ManualClock } from '@postern/testkit/clock'
import { expect, test } from 'vitest'
import { paddedPush, sealPush } from '../src/push/seal-push.ts'
import { Vapid } from '../src/push/vapid.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url')

test('[RELAY-10.6] the example of RFC 8291, section 5', () => {
  const reader = {
    p256dh: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
    auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  }
  const secrets = {
    privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
    salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  }
  const sealed = sealPush(Buffer.from('When I grow up, I want to be a watermelon'), reader, secrets)
  expect(sealed.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

test('[RELAY-10.6] two of the same are different, and only the browser opens them', () => {
  const browser = createECDH('prime256v1')
  const reader = { p256dh: browser.generateKeys(), auth: randomBytes(16) }
  const content = paddedPush('{"v":1}')
  const [one, other] = [sealPush(content, reader), sealPush(content, reader)]
  expect(one.equals(other)).toBe(false)
  const [salt, theirs, sealed] = [one.subarray(0, 16), one.subarray(21, 86), one.subarray(86)]
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), reader.p256dh, theirs])
  const secret = Buffer.from(hkdfSync('sha256', browser.computeSecret(theirs), reader.auth, info, 32))
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16))
  const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12))
  const opened = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16))
  const plain = Buffer.concat([opened.update(sealed.subarray(0, -16)), opened.final()])
  expect(plain.at(-1)).toBe(2)
  expect(JSON.parse(plain.subarray(0, -1).toString())).toEqual({ v: 1 })
  expect(plain).toHaveLength(513)
})

test('[RELAY-10.6] a point that is not on the curve is refused', () => {
  expect(() => sealPush(Buffer.of(1), { p256dh: new Uint8Array(65).fill(4), auth: randomBytes(16) })).toThrow()
})

test('[RELAY-10.7] the token names the origin, the contact and its end, and the relay’s key has signed it', () => {
  const key = createECDH('prime256v1')
  const publicKey = key.generateKeys()
  const privateKey = Buffer.concat([Buffer.alloc(32), key.getPrivateKey()]).subarray(-32)
  const clock = new ManualClock()
  const vapid = new Vapid({ privateKey, publicKey }, { clock, contact: 'mailto:alice@example.org' })
  const header = vapid.authorization(new URL('https://push.example.org/a/b'))
  const [, token = '', k = ''] = /^vapid t=(\S+), k=(\S+)$/.exec(header) ?? []
  expect(bytes(k).equals(publicKey)).toBe(true)
  const [head = '', claims = '', signature = ''] = token.split('.')
  expect(JSON.parse(bytes(head).toString())).toEqual({ typ: 'JWT', alg: 'ES256' })
  const exp = Math.floor(clock.nowMs() / 1000) + 12 * 3600
  expect(JSON.parse(bytes(claims).toString())).toEqual({
    aud: 'https://push.example.org',
    exp,
    sub: 'mailto:alice@example.org',
  })
  const [x, y] = [publicKey.subarray(1, 33), publicKey.subarray(33)].map(part => part.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }
  const signer = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), signer, bytes(signature))).toBe(true)
})
