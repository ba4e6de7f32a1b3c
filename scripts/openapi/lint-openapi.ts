// The complaints of Redocly's and Spectral's rules about an OpenAPI document, one line each. Both run here, without the
// network.
import type { OpenapiDocument } from '@postern/bot-api'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

/** Rules that we switch off, each with its reason. */
const left = {
  // The operator of a gateway is known to its users, and not to us.
  'info-contact': 'off',
  // In 3.1 the licence has an SPDX identifier instead, and may not have both.
  'license-url': 'off',
  // In reading order.
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
