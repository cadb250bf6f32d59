/**
 * Which texts and links of a page the rules about colours have to look at. All functions here run in the page, where
 * they see one another and nothing else.
 */

/** An element to which a rule about colours applies, and all that the finding follows from. */
export type Sample = {
  rule: 'color-contrast' | 'link-in-text-block'
  kind: string
  element: HTMLElement
  /** Something lies over it without containing it, such as a bar that stays in sight: then axe cannot tell. */
  isCovered: boolean
  /** Both colours are opaque and differ enough, so nothing is left for axe to find. */
  isClear: boolean
}

type Ground = { paint: string; fade: number; isClipped: boolean }
type Grounds = Map<Element, Ground>

/** The backgrounds that show through below an element; an opaque one hides those behind it. */
function groundOf(element: Element | null, known: Grounds): Ground {
  if (element === null) return { paint: '', fade: 1, isClipped: false }
  const seen = known.get(element)
  if (seen) return seen
  const { backgroundColor, backgroundImage, opacity, mixBlendMode, clipPath } = getComputedStyle(element)
  const behind = groundOf(element.parentElement, known)
  const fade = behind.fade * Number(opacity)
  const own = [backgroundColor, backgroundImage, mixBlendMode].join()
  const isOpaque = fade === 1 && /^rgb\([\d, ]+\),none,normal$/.test(own)
  const isPlain = own === 'rgba(0, 0, 0, 0),none,normal'
  const paint = isOpaque ? own : behind.paint + (isPlain ? '' : `/${own}`)
  const ground = { paint, fade, isClipped: behind.isClipped || clipPath !== 'none' }
  known.set(element, ground)
  return ground
}

/** Large text may have less contrast: from 18 points on, bold from 14 on. No other size matters. */
function isLarge({ fontSize, fontWeight }: CSSStyleDeclaration): boolean {
  const points = Math.ceil(Number.parseFloat(fontSize) * 72) / 96
  return points >= (Number(fontWeight) >= 700 ? 14 : 18)
}

/** By the formula of WCAG 2. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((value) => {
    const share = Number(value) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Spares axe what it would pass: it takes as long for one text as for a page. All else is left to it, as what fails. */
function hasClearContrast(element: Element, known: Grounds): boolean {
  const style = getComputedStyle(element)
  const { paint, fade } = groundOf(element, known)
  const isOpaque = /^rgb\([\d, ]+\)$/.test(style.color) && /^rgb\([\d, ]+\),none,normal$/.test(paint)
  if (!isOpaque || fade !== 1 || style.textShadow !== 'none') return false
  const [dark = 0, light = 0] = [style.color, paint].map(luminanceOf).sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05) > (isLarge(style) ? 3 : 4.5)
}

function looksOf(element: Element, known: Grounds): string {
  const style = getComputedStyle(element)
  const { paint, fade } = groundOf(element, known)
  return [style.color, isLarge(style), style.textShadow, paint, fade].join()
}

function coverOf(element: Element, known: Grounds): string {
  const box = element.getBoundingClientRect()
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
  return top === null || top.contains(element) || element.contains(top) ? '' : groundOf(top, known).paint
}

/** What is only for screen readers is clipped to nothing. */
function isSeen(element: Element, known: Grounds): boolean {
  const { width } = element.getBoundingClientRect()
  return element.checkVisibility() && width > 1 && !groundOf(element, known).isClipped
}

function ownLength(element: Element): number {
  const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
  return texts.reduce((sum, { nodeValue }) => sum + (nodeValue?.trim().length ?? 0), 0)
}

/** The length of the text of a block without its links, buttons and other blocks. */
function proseLength(block: Element): number {
  const isProse = (child: Element) =>
    !child.matches('a, button') && getComputedStyle(child).display === 'inline'
  const inside = [...block.children].filter(isProse)
  return inside.reduce((sum, child) => sum + proseLength(child), ownLength(block))
}

/** The text around a link. Axe judges a link only where there is more text than links. */
function textAround(link: Element): Element | undefined {
  let block = link.parentElement
  while (block && getComputedStyle(block).display === 'inline') block = block.parentElement
  if (!block || getComputedStyle(link).display !== 'inline') return undefined
  return proseLength(block) > (link.textContent?.trim().length ?? 0) ? block : undefined
}

/** Two texts of one kind have the same colour, are both large or both not, and lie on the same backgrounds. */
function textSample(element: HTMLElement, known: Grounds): Sample | undefined {
  // Axe finds nothing wrong with a single character.
  const hasText = element.matches('input, select, textarea') || ownLength(element) > 1
  if (!hasText || element.matches(':disabled, option, [type=checkbox], [type=radio]')) return undefined
  if (!isSeen(element, known)) return undefined
  const cover = coverOf(element, known)
  const kind = [looksOf(element, known), cover].join(' ')
  const isCovered = cover !== ''
  const isClear = !isCovered && hasClearContrast(element, known)
  return { rule: 'color-contrast', kind, element, isCovered, isClear }
}

/** By these, and by its lines, a link may stand out from the text around it. */
function fontOf(element: Element): string {
  const { fontFamily, fontSize, fontStyle, fontWeight } = getComputedStyle(element)
  return [fontFamily, fontSize, fontStyle, fontWeight].join()
}

/** Two links of one kind look the same, in text that looks the same. */
function linkSample(element: HTMLElement, known: Grounds): Sample | undefined {
  const around = element.matches('a[href]') && textAround(element)
  if (!around || !isSeen(element, known)) return undefined
  const { borderBottom, borderTop, outline, textDecoration } = getComputedStyle(element)
  const both = [element, around].flatMap((one) => [fontOf(one), looksOf(one, known)])
  const kind = ['link', borderBottom, borderTop, outline, textDecoration, ...both].join(' ')
  return { rule: 'link-in-text-block', kind, element, isCovered: false, isClear: false }
}

export function samplesIn(part: string): Sample[] {
  const known: Grounds = new Map()
  const elements = [...document.querySelectorAll<HTMLElement>(`:is(${part}) *`)]
  return elements
    .flatMap((element) => [textSample(element, known), linkSample(element, known)])
    .filter((sample) => sample !== undefined)
}

/** As a script that defines them all. */
export const CONTRAST_SCRIPT = [
  groundOf,
  isLarge,
  luminanceOf,
  hasClearContrast,
  looksOf,
  coverOf,
  isSeen,
  ownLength,
  proseLength,
  textAround,
  textSample,
  fontOf,
  linkSample,
  samplesIn,
].join('\n')
