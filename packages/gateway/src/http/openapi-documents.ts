// Serves the OpenAPI document, which is made on the first request.
import { asOpenapi30, makeOpenapi } from '@postern/bot-api'
import { VERSION } from '../version.ts'
import { SerializedAnswer } from './answers.ts'

type OpenapiVersion = '3.0' | '3.1'

export class OpenapiDocuments {
  readonly #written = new Map<OpenapiVersion, SerializedAnswer>()

  get(version: OpenapiVersion): SerializedAnswer {
    const written = this.#written.get(version) ?? write(version)
    this.#written.set(version, written)
    return written
  }
}

function write(version: OpenapiVersion): SerializedAnswer {
  const document = makeOpenapi({ version: VERSION })
  // As bytes: a string would be encoded again, and held once more, for every slow caller.
  return new SerializedAnswer(Buffer.from(JSON.stringify(version === '3.0' ? asOpenapi30(document) : document)))
}
