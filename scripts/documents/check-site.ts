// The menu of the site leads to every page of docs: a page outside it could be found only by search.
import { type Check, documentsOf } from '../project.ts'
import { addressOf } from '../site/site-pages.ts'

const menu = 'site/.vitepress/config.mjs'

export const checkSite: Check = project => {
  if (!project.paths.includes(menu)) return []
  const links = project.read(menu)
  return documentsOf(project)
    .filter(path => path.startsWith('docs/') && path !== 'docs/README.md')
    .map(path => `/${addressOf(path).replace(/(index)?\.md$/, '')}`)
    .filter(link => !links.includes(`'${link}'`))
    .map(link => `${menu}: ${link} is not in the menu.`)
}
