// A cipher suite that shows the plaintext of one ciphertext before the library decodes it.
import type { CiphersuiteImpl } from 'ts-mls'

/** Decrypts everything else as usual. An error that `inspect` throws ends the call of the library. */
export function inspectingSuite(
  cipherSuite: CiphersuiteImpl,
  ciphertext: Uint8Array,
  inspect: (plaintext: Uint8Array) => void,
): CiphersuiteImpl {
  const { hpke } = cipherSuite
  const decryptAead: typeof hpke.decryptAead = async (...sealed) => {
    const plaintext = await hpke.decryptAead(...sealed)
    // The library passes on the array that it received.
    if (sealed[3] === ciphertext) inspect(plaintext)
    return plaintext
  }
  return { ...cipherSuite, hpke: { ...hpke, decryptAead } }
}
