// Builds the app from one folder into another, and adds a compressed copy next to each file.
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const [root = '', outDir = ''] = process.argv.slice(2)

// The process that started it was killed: nobody waits for these files any more.
process.once('disconnect', () => process.exit(1))
process.channel?.unref()

try {
  // Here, and not above: a missing installation must be reported in a sentence, too.
  const { build } = await import('vite')
  await build({ root, configLoader: 'native', logLevel: 'silent', build: { outDir, emptyOutDir: true } })
  const made = readdirSync(outDir, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && !entry.name.startsWith('.'),
  )
  await Promise.all(made.map(entry => pack(join(entry.parentPath, entry.name))))
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

/** Pictures, sounds and fonts are already compressed. */
async function pack(path: string): Promise<void> {
  const worthIt = ['.html', '.js', '.css', '.json', '.webmanifest', '.svg', '.txt', '.wasm', '.map']
  if (!worthIt.includes(extname(path))) return
  const plain = await readFile(path)
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  // The best two levels take ten times as long for a twentieth of the size.
  const params = { [BROTLI_PARAM_QUALITY]: 9, [BROTLI_PARAM_SIZE_HINT]: plain.length }
  const packed = {
    br: await promisify(brotliCompress)(plain, { params }),
    // With the default memory scripts become larger: more memory makes longer blocks, which fit their letters less.
    gz: await promisify(gzip)(plain, { level: 9, memLevel: 7 }),
  }
  for (const [ending, bytes] of Object.entries(packed))
    if (bytes.length < plain.length) await writeFile(`${path}.${ending}`, bytes)
}
