import type { WebPage } from './web-page.ts'
import type { MouseAction } from '../../terminal/mouse-encoding.ts'

/** Whether text typed now goes into a password field, or into another site's frame, where that cannot be known. */
export async function isSecret(page: WebPage): Promise<boolean> {
  const { focus } = await page.details()
  return focus !== null && (focus.type === 'password' || focus.tag === 'iframe')
}

/** Does with a page's mouse what is done with a terminal's. */
export async function useMouse(page: WebPage, action: MouseAction): Promise<void> {
  const { at } = action
  const modifiers = Object.fromEntries((action.modifiers ?? []).map((modifier) => [modifier, true]))
  switch (action.action) {
    case 'click':
      return page.click(at, { button: action.button, clicks: action.clicks ?? 1, modifiers })
    case 'down':
      return page.mouseDown(at, { button: action.button, modifiers })
    case 'up':
      return page.mouseUp(at, { button: action.button, modifiers })
    case 'drag':
      return page.drag(at, action.to, { button: action.button, modifiers })
    case 'wheel':
      return page.scroll(action.lines, at)
    case 'move':
      return page.mouseMove(at, { modifiers })
    default:
      return action satisfies never
  }
}
