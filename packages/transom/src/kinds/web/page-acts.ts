import type { WebPage } from './web-page.ts'
import type { MouseAction } from '../../terminal/mouse-encoding.ts'

/** Whether what is typed now goes into a password field, or where it cannot be told, into another site's frame. */
export async function isSecret(page: WebPage): Promise<boolean> {
  const { focus } = await page.details()
  return focus !== null && (focus.type === 'password' || focus.tag === 'iframe')
}

/** Does with a page's mouse what is done with a terminal's. */
export async function useMouse(page: WebPage, action: MouseAction): Promise<void> {
  switch (action.action) {
    case 'click':
      return page.click(action.at, { button: action.button })
    case 'double_click':
      return page.click(action.at, { button: action.button, clicks: 2 })
    case 'drag':
      return page.drag(action.at, action.to, { button: action.button })
    case 'wheel':
      return page.scroll(action.lines, action.at)
    case 'move':
      return page.mouseMove(action.at)
    default:
      return action satisfies never
  }
}
