// One clock for all processes of a machine: times of one can be compared in another.

export const sharedNowMs = (): number => Number(process.hrtime.bigint()) / 1e6
