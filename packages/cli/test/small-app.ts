// An app of three files in its own checkout, which builds in a moment.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

export class SmallApp {
  readonly root = mkdtempSync(join(tmpdir(), 'postern-app-'))
  /** The app's package. */
  readonly directory = join(this.root, 'packages/app')
  readonly dist = join(this.directory, 'dist')

  constructor() {
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }))
    this.write('packages/app/index.html', '<!doctype html><script type="module" src="/src/main.ts"></script>')
    this.write('packages/app/package.json', '{ "dependencies": { "@postern/near": "0.1.0", "far": "1.0.0" } }')
    this.write('packages/app/src/main.ts', "document.title = 'built'")
    this.write('packages/near/package.json', '{ "dependencies": { "@postern/farther": "0.1.0" } }')
    this.write('packages/near/src/index.ts', '')
    this.write('packages/farther/src/index.ts', '')
    this.write('package-lock.json', '{}')
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }
}
