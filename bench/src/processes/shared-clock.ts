// One clock for all processes of a machine: what one of them notes, another can compare.

export const sharedNowMs = (): number => Number(process.hrtime.bigint()) / 1e6
