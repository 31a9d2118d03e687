/** Waits until it is so. @throws after a minute */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let n = 0; n < 1200; n++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`not so after a minute: ${isSo}`)
}
