// What Redocly's and Spectral's rules say of an OpenAPI document, one line for each complaint. Both run here, and ask nobody else for anything.
import type { OpenapiDocument } from '@postern/bot-api'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

/** Rules that we leave, each with its reason. */
const left = {
  // Who runs a gateway is known to those who use it, and not to us.
  'info-contact': 'off',
  // In 3.1 the licence has an SPDX identifier instead, and may not have both.
  'license-url': 'off',
  // In the order in which people read them.
  'openapi-tags-alphabetical': 'off',
} as const

export const lintOpenapi = async (document: OpenapiDocument): Promise<string[]> => [
  ...(await byRedocly(document)),
  ...(await bySpectral(document)),
]

async function byRedocly(document: OpenapiDocument): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `redocly ${ruleId}: ${message} (${location[0]?.pointer})`)
}

async function bySpectral(document: OpenapiDocument): Promise<string[]> {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[{ ...rulesets.oas, extends: [] }, 'all']], rules: left })
  const problems = await linter.run({ ...document })
  return problems.map(({ code, message, path }) => `spectral ${code}: ${message} (#/${path.join('/')})`)
}
