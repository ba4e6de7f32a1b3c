// The limits that one relay enforces: the system's defaults, each of which can be changed at the start.
import { relayDefaults } from '@postern/protocol'

export type RelayLimits = { readonly [Name in keyof typeof relayDefaults]: number }

export const limitNames = Object.keys(relayDefaults) as (keyof RelayLimits)[]

export const relayLimits = (changed: Partial<RelayLimits> = {}): RelayLimits => ({ ...relayDefaults, ...changed })
