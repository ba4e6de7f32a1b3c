// `npm run docs`: builds the documents as a static site, in `site/dist/html`. The generator has its own lockfile, in
// `site`, and is installed on first use: builds and tests of Postern do not need it. SITE_BASE=/postern/ is for a path
// of a host.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { documentsOf, openProject } from './project.ts'
import { addressOf, isPage, pageText } from './site/site-pages.ts'

const root = join(import.meta.dirname, '..')
const site = join(root, 'site')
const pages = join(site, 'dist/pages')

const project = openProject(root)
rmSync(pages, { recursive: true, force: true })
for (const path of documentsOf(project).filter(isPage)) {
  const place = join(pages, addressOf(path))
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, pageText(project.read(path), path))
}
cpSync(join(root, 'docs/pictures'), join(pages, 'pictures'), { recursive: true })

const inSite = (command: string, ...words: string[]): void =>
  void execFileSync(command, words, { cwd: site, stdio: 'inherit' })
if (!existsSync(join(site, 'node_modules/vitepress')))
  inSite('npm', 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund')
inSite(process.execPath, 'node_modules/vitepress/bin/vitepress.js', 'build')
console.log(join(site, 'dist/html'))
