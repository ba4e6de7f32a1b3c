// Before every test: to fill up its hundred key packages takes a client longer than most tests do.
import { clientLimits } from '@postern/protocol'

Object.assign(clientLimits, { keyPackagesTarget: clientLimits.keyPackagesFirst, keyPackagesLow: 5 })
