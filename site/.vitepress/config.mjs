// The site of the documents. `npm run docs` puts the pages into `dist/pages` and builds it in `dist/html`.
import { join } from 'node:path'

const pagesOf = (...entries) => entries.map(([text, link]) => ({ text, link }))

/** As GitHub makes them: the documents name headings so. */
const anchorOf = heading =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

// oxlint-disable-next-line import/no-default-export -- VitePress asks for it
export default {
  title: 'Postern',
  description: 'One bot of an end-to-end encrypted messenger as plain JSON over HTTP',
  lang: 'en',
  // None, instead of a request for one that is not there.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  base: process.env.SITE_BASE ?? '/',
  srcDir: 'dist/pages',
  outDir: 'dist/html',
  cacheDir: 'node_modules/.cache',
  lastUpdated: false,
  // `{chat}` in a heading is a part of an address, and no attribute.
  markdown: { attrs: { disable: true }, anchor: { slugify: anchorOf }, languageAlias: { cron: 'sh' } },
  vite: {
    // Search is our own; what would ask another host is a stand-in that is never called.
    resolve: { alias: { '@docsearch/js': join(import.meta.dirname, 'no-search-elsewhere.mjs') } },
    publicDir: false,
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    docFooter: { prev: 'Previous', next: 'Next' },
    nav: pagesOf(['Start', '/getting-started'], ['Guide', '/guide/'], ['API', '/api'], ['Deploying', '/deploying']),
    sidebar: [
      {
        text: 'Start',
        items: pagesOf(
          ['Getting started', '/getting-started'],
          ['The parts', '/parts'],
          ['Coming from elsewhere', '/coming-from'],
          ['Examples', '/examples/'],
          ['What has changed', '/CHANGELOG'],
        ),
      },
      {
        text: 'Write a bot',
        items: pagesOf(
          ['The guide', '/guide/'],
          ['Send, edit, delete', '/guide/send'],
          ['Get updates', '/guide/updates'],
          ['Webhooks', '/guide/webhooks'],
          ['Buttons', '/guide/buttons'],
          ['Polls', '/guide/polls'],
          ['Files', '/guide/files'],
          ['Chats and groups', '/guide/groups'],
          ['Links with a payload', '/guide/links'],
          ['Name, commands, picture', '/guide/profile'],
          ['Incoming hooks', '/guide/hooks'],
          ['Tokens with fewer rights', '/guide/tokens'],
          ['People without a screen', '/guide/people'],
          ['Notifications', '/guide/notifications'],
          ['Idempotency-Key', '/guide/idempotency'],
          ['Errors', '/guide/errors'],
          ['The HTTP API', '/api'],
          ['Telegram bots', '/telegram'],
          ['Agents that ask a person', '/mcp'],
          ['Generate a client', '/clients'],
        ),
      },
      {
        text: 'Run it',
        items: pagesOf(
          ['Deploying', '/deploying'],
          ['Gateway settings', '/settings'],
          ['The console', '/console'],
          ['Running a relay', '/relay'],
          ['A network with its own CA', '/private-ca'],
          ['Several relays', '/scaling'],
          ['A database that may lose a machine', '/failover'],
          ['Operating', '/operating'],
          ['Troubleshooting', '/troubleshooting'],
          ['Backup and restore', '/backup'],
          ['Upgrading', '/upgrading'],
        ),
      },
      {
        text: 'Understand it',
        items: pagesOf(
          ['Threat model', '/threat-model'],
          ['Security', '/security'],
          ['Architecture', '/architecture'],
          ['The web app', '/app'],
          ['Glossary', '/glossary'],
          ['Dependencies', '/dependencies'],
          ['Contributing', '/CONTRIBUTING'],
        ),
      },
    ],
  },
}
