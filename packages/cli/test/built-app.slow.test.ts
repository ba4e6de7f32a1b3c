// When the app is built, and that it is complete whenever it exists.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { builtApp, foundApp } from '@postern/app/build'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SmallApp } from './small-app.ts'

/** Whether it had to be built. */
async function build(app: SmallApp, signal?: AbortSignal): Promise<boolean> {
  let isBuilding = false
  let wasBuilt = false
  const onBuild = () => {
    isBuilding = true
    return () => void ([isBuilding, wasBuilt] = [false, true])
  }
  try {
    expect(await builtApp({ directory: app.directory, onBuild, ...(signal && { signal }) })).toBe(app.dist)
  } finally {
    expect(isBuilding).toBe(false)
  }
  return wasBuilt
}

const scriptOf = ({ dist }: SmallApp): string =>
  readdirSync(join(dist, 'assets'))
    .filter(name => name.endsWith('.js'))
    .map(name => readFileSync(join(dist, 'assets', name), 'utf8'))
    .join()

const left = ({ directory }: SmallApp) => readdirSync(directory).filter(name => name.startsWith('dist'))

describe('when it is built', () => {
  test('[CLI-3.5] at first, and not again when nothing has changed but times', async () => {
    const app = new SmallApp()
    expect(foundApp(app.directory)).toBeUndefined()
    expect(await build(app)).toBe(true)
    expect(scriptOf(app)).toContain('built')
    expect(foundApp(app.directory)).toBe(app.dist)
    utimesSync(join(app.directory, 'src/main.ts'), 1, 1)
    expect(await build(app)).toBe(false)
  })

  test('[CLI-3.5] again when something has changed that it is made of', async () => {
    const app = new SmallApp()
    await build(app)
    const parts = {
      'packages/app/index.html': '<!doctype html><title>Another</title>',
      'packages/app/src/new/part.tsx': '',
      'packages/app/public/icon.svg': '<svg/>',
      'packages/near/src/index.ts': '// Another',
      'packages/farther/src/deep/index.ts': '',
      'packages/farther/package.json': '{ "version": "0.2.0" }',
      'package-lock.json': '{ "version": "0.2.0" }',
      'patches/far.patch': '',
    }
    for (const [path, text] of Object.entries(parts)) {
      app.write(path, text)
      expect([path, await build(app), await build(app)]).toEqual([path, true, false])
    }
  })

  test('[CLI-3.5] not when what changed is no part of it', async () => {
    const app = new SmallApp()
    await build(app)
    app.write('packages/relay/src/index.ts', 'export {}')
    app.write('packages/app/test/main.test.ts', 'export {}')
    expect(await build(app)).toBe(false)
  })

  test('[CLI-3.5] not where it was shipped without its sources, and nothing is to be had where neither is', async () => {
    const app = new SmallApp()
    await build(app)
    rmSync(join(app.directory, 'index.html'))
    expect(await build(app)).toBe(false)
    rmSync(app.dist, { recursive: true })
    await expect(build(app)).rejects.toThrow('neither the built app nor its sources')
  })

  test('[CLI-3.5] what is large lies beside itself as it goes out', async () => {
    const app = new SmallApp()
    app.write('packages/app/public/large.txt', 'word '.repeat(1000))
    app.write('packages/app/public/photo.png', 'not text')
    await build(app)
    const large = readFileSync(join(app.dist, 'large.txt'))
    expect(brotliDecompressSync(readFileSync(join(app.dist, 'large.txt.br'))).equals(large)).toBe(true)
    expect(gunzipSync(readFileSync(join(app.dist, 'large.txt.gz'))).equals(large)).toBe(true)
    expect(existsSync(join(app.dist, 'photo.png.br'))).toBe(false)
  })
})

describe('what goes wrong', () => {
  test('[CLI-3.6] a build that fails says why and leaves the app as it was', async () => {
    const app = new SmallApp()
    await build(app)
    app.write('packages/app/src/main.ts', 'this is no program')
    const failed = build(app)
    await expect(failed).rejects.toThrow(/^the app could not be built: [^]*main\.ts/)
    await expect(failed).rejects.not.toThrow('node_modules')
    expect([scriptOf(app).includes('built'), left(app)]).toEqual([true, ['dist']])
    app.write('packages/app/src/main.ts', "document.title = 'mended'")
    expect([await build(app), scriptOf(app).includes('mended')]).toEqual([true, true])
  })

  test('[CLI-3.6] one that is told to end leaves nothing', async () => {
    const app = new SmallApp()
    const stop = new AbortController()
    const building = build(app, stop.signal)
    stop.abort()
    await expect(building).rejects.toThrow()
    expect(left(app)).toEqual([])
  })

  test('[CLI-3.6] one that was killed holds up nobody, and is cleared away', async () => {
    const app = new SmallApp()
    const killed = buildElsewhere(app)
    await once(killed.stdout, 'data')
    killed.kill('SIGKILL')
    await once(killed, 'close')
    app.write(`packages/app/dist-${killed.pid}/index.html`, 'half of it')
    writeFileSync(join(app.directory, 'dist.lock'), String(killed.pid))
    expect([await build(app), left(app)]).toEqual([true, ['dist']])
  })

  test('[CLI-3.6] a bundler whose build was killed ends, and leaves nothing behind the next build', async () => {
    const app = new SmallApp()
    const [begun, goOn] = ['begun', 'go-on'].map(name => join(app.root, name)) as [string, string]
    app.write(
      'packages/app/vite.config.ts',
      `import { existsSync, writeFileSync } from 'node:fs'
      import { setTimeout as wait } from 'node:timers/promises'
      if (!existsSync(${JSON.stringify(begun)})) {
        writeFileSync(${JSON.stringify(begun)}, String(process.pid))
        while (!existsSync(${JSON.stringify(goOn)})) await wait(5)
      }
      export default {}`,
    )
    const killed = buildElsewhere(app)
    await expect.poll(() => existsSync(begun) && readFileSync(begun, 'utf8')).toBeTruthy()
    const bundler = Number(readFileSync(begun, 'utf8'))
    onTestFinished(() => writeFileSync(goOn, ''))
    killed.kill('SIGKILL')
    await once(killed, 'close')
    // Its next build begins while the bundler may still write.
    app.write(`packages/app/dist-${killed.pid}/index.html`, 'half of it')
    expect([await build(app), left(app)]).toEqual([true, ['dist']])
    await expect.poll(() => isRunning(bundler)).toBe(false)
    expect(left(app)).toEqual(['dist'])
  })

  test('[CLI-3.6] a turn of long ago is over, whoever has its number now', async () => {
    const app = new SmallApp()
    const lock = join(app.directory, 'dist.lock')
    writeFileSync(lock, String(process.pid))
    utimesSync(lock, 1, 1)
    expect([await build(app), left(app)]).toEqual([true, ['dist']])
  })

  test('[CLI-3.6] of several processes one builds, and all find the same', async () => {
    const app = new SmallApp()
    const builds = join(app.root, 'builds')
    app.write(
      'packages/app/vite.config.ts',
      `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(builds)}, 'one')\nexport default {}`,
    )
    const exits = [1, 2, 3].map(() => once(buildElsewhere(app), 'close'))
    expect(await build(app)).toBe(true)
    expect((await Promise.all(exits)).map(([code]) => code as number)).toEqual([0, 0, 0])
    expect([readFileSync(builds, 'utf8'), left(app)]).toEqual(['one', ['dist']])
  })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function buildElsewhere({ directory }: SmallApp) {
  const script = new URL('./build-small-app.ts', import.meta.url).pathname
  return spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
}
