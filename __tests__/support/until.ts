/** Waits until it is so. @throws after a minute */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let n = 0; n < 600; n++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`not so after a minute: ${isSo}`)
}
