// Removes files of native packages that this machine never loads: binaries of other platforms, and what they are built
// from. `npm ci` runs it for a checkout, the Dockerfile for an image: node trim-packages.mjs [node_modules].
// A package without a binary for this machine stays whole. It must run on whatever Node is installed.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = process.argv[2] || fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** By package: what compilers need, and where its binaries are, one file or folder for each platform. */
const NATIVE = [
  { name: 'better-sqlite3', sources: ['deps', 'src', 'binding.gyp'], binaries: 'better-sqlite3/prebuilds' },
  {
    name: 'better-sqlite3-multiple-ciphers',
    sources: ['deps', 'src', 'binding.gyp'],
    binaries: 'better-sqlite3-multiple-ciphers/prebuilds',
  },
  {
    name: 'sodium-native',
    sources: ['extensions', 'binding.cc', 'CMakeLists.txt'],
    binaries: 'sodium-native/prebuilds',
  },
  { name: 'sharp', sources: ['src', 'install'], binaries: '@img' },
]
const HEADERS = ['include', 'share']

const isMusl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime
const platform = `${process.platform}${isMusl ? 'musl' : ''}-${process.arch}`
const own = new Set([`${platform}.node`, platform, `sharp-${platform}`, `sharp-libvips-${platform}`])

const remove = path => rmSync(join(modules, path), { recursive: true, force: true })
const namesIn = path => (existsSync(join(modules, path)) ? readdirSync(join(modules, path)) : [])

for (const { name, sources, binaries } of NATIVE) {
  // Not all of @img are binaries.
  const found = namesIn(binaries).filter(binary => binary !== 'colour')
  if (!found.some(binary => own.has(binary))) continue
  for (const source of sources) remove(join(name, source))
  // npm before 11 installs some of other platforms that are packages of their own.
  for (const binary of found) if (!own.has(binary)) remove(join(binaries, binary))
}

for (const source of ['zod/src', 'rapidoc/src']) remove(source)

// The Node that npm brings along is here to run programs, not to compile them.
for (const name of namesIn('.').filter(each => /^node-(linux|darwin|win)/.test(each)))
  for (const part of HEADERS) remove(join(name, part))
