// The API's description of itself, written when somebody first asks for it.
import { asOpenapi30, makeOpenapi } from '@postern/bot-api'
import { VERSION } from '../version.ts'
import { Serialized } from './answers.ts'

type OpenapiVersion = '3.0' | '3.1'

export class OpenapiDocuments {
  readonly #written = new Map<OpenapiVersion, Serialized>()

  get(version: OpenapiVersion): Serialized {
    const written = this.#written.get(version) ?? write(version)
    this.#written.set(version, written)
    return written
  }
}

function write(version: OpenapiVersion): Serialized {
  const document = makeOpenapi({ version: VERSION })
  return new Serialized(JSON.stringify(version === '3.0' ? asOpenapi30(document) : document))
}
