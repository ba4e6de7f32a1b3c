// The limits one relay enforces: the defaults of the whole system, each of which can be set when a relay is started.
import { relayDefaults } from '@postern/protocol'

export type RelayLimits = { readonly [Name in keyof typeof relayDefaults]: number }

export const limitNames = Object.keys(relayDefaults) as (keyof RelayLimits)[]

export const relayLimits = (changed: Partial<RelayLimits> = {}): RelayLimits => ({ ...relayDefaults, ...changed })
