/** Waits until it is so. @throws after two minutes, which only end a wait that would never succeed */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let n = 0; n < 2400; n++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`not so after two minutes: ${isSo}`)
}
