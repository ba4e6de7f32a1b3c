// The reference page: RapiDoc with our document, in the colours of the app. Our own parts are small enough to be text here.

/** Relative, so that the page works under any path of a proxy. */
export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Postern: the HTTP API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="reference/page.css">
    <script type="module" src="reference/page.js"></script>
    <script type="module" src="reference/rapidoc.js"></script>
  </head>
  <body>
    <noscript>This page needs JavaScript. The same is in docs/api.md, and in openapi.json.</noscript>
    <rapi-doc
      spec-url="openapi.json"
      load-fonts="false"
      regular-font="system-ui, sans-serif"
      mono-font="ui-monospace, monospace"
      schema-style="table"
      show-header="false"
      show-components="true"
      show-method-in-nav-bar="as-colored-text"
      nav-item-spacing="compact"
      allow-server-selection="false"
      allow-spec-file-download="false"
      allow-advanced-search="false"
      fill-request-fields-with-example="true"
      persist-auth="false"
    ></rapi-doc>
  </body>
</html>
`

export const STYLE = `:root { color-scheme: light dark; }
html, body { block-size: 100%; margin: 0; background: light-dark(#fbfaf7, #151a19); color: light-dark(#1b211f, #e8edeb); }
noscript { display: block; padding: 24px; font: 16px/1.4 system-ui, sans-serif; }
rapi-doc:not(:defined) { visibility: hidden; }
`

/**
 * RapiDoc computes shades from plain colours and does not follow the colour scheme automatically; the colours are
 * tokens of the app. On a narrow screen it has no menu: there everything is in one list.
 */
export const SCRIPT = `const colours = {
  light: { 'bg-color': '#fbfaf7', 'text-color': '#1b211f', 'primary-color': '#0b6b5d', 'nav-bg-color': '#efece6', 'nav-text-color': '#1b211f', 'nav-hover-bg-color': '#e0efea', 'nav-hover-text-color': '#08564b', 'nav-accent-color': '#0b6b5d', 'nav-accent-text-color': '#ffffff' },
  dark: { 'bg-color': '#151a19', 'text-color': '#e8edeb', 'primary-color': '#5fd0b6', 'nav-bg-color': '#0e1211', 'nav-text-color': '#e8edeb', 'nav-hover-bg-color': '#17332e', 'nav-hover-text-color': '#7fe0c9', 'nav-accent-color': '#5fd0b6', 'nav-accent-text-color': '#04201a' },
}
const reference = document.querySelector('rapi-doc')
const dark = matchMedia('(prefers-color-scheme: dark)')
const narrow = matchMedia('(max-width: 767px)')
const show = () => {
  const theme = dark.matches ? 'dark' : 'light'
  const look = { theme, 'render-style': narrow.matches ? 'view' : 'focused', ...colours[theme] }
  for (const [name, value] of Object.entries(look)) reference.setAttribute(name, value)
}
show()
for (const media of [dark, narrow]) media.addEventListener('change', show)
`
