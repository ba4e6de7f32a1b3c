// Pictures for tests.
import sharp from 'sharp'

export const plain = (width: number, height: number, background = '#ff8800') =>
  sharp({ create: { width, height, channels: 3, background }, limitInputPixels: false })

/** Four quarters: red, green / blue, white. */
export async function quarters(width: number, height: number) {
  const quarter = async (background: string, at: { left: number; top: number }) => ({
    input: await plain(width / 2, height / 2, background)
      .png()
      .toBuffer(),
    ...at,
  })
  return plain(width, height, '#ff0000').composite([
    await quarter('#00ff00', { left: width / 2, top: 0 }),
    await quarter('#0000ff', { left: 0, top: height / 2 }),
    await quarter('#ffffff', { left: width / 2, top: height / 2 }),
  ])
}
