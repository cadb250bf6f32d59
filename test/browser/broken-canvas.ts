import type { Page } from 'playwright-core'

/** The next drawing fails. Only that one: axe draws too, and the next test has the same window. */
export const breakCanvasOnce = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const canvas = HTMLCanvasElement.prototype
    const { getContext } = canvas
    canvas.getContext = () => {
      canvas.getContext = getContext
      throw new Error('There is no canvas')
    }
  })
