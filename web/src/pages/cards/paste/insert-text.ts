type TextBox = HTMLTextAreaElement | HTMLInputElement

/** Replaces the selection as typing does, so that the browser's own undo takes it back. */
export function insertText(box: TextBox, text: string): void {
  box.focus()
  // A hidden box cannot have the focus, and the browser types into the box that has it.
  if (document.activeElement === box && document.execCommand('insertText', false, text)) return
  box.setRangeText(text, box.selectionStart ?? 0, box.selectionEnd ?? 0, 'end')
  box.dispatchEvent(new InputEvent('input', { bubbles: true, data: text, inputType: 'insertFromPaste' }))
}

/** Replaces what was pasted last; false if it was changed since. */
export function replaceText(box: TextBox, old: string, next: string): boolean {
  const at = box.value.lastIndexOf(old)
  if (at < 0) return false
  box.focus()
  box.setSelectionRange(at, at + old.length)
  insertText(box, next)
  return true
}

/**
 * Remembers where the caret is, for text that arrives later. Who writes on meanwhile, here or in another box, goes on where
 * they are. If what stood before has changed, the later text goes to the caret of then.
 */
export function keepCaret(box: TextBox): (text: string) => void {
  let before = box.value.slice(0, box.selectionStart ?? 0)
  return (text) => {
    const elsewhere = document.activeElement
    const { selectionStart, selectionEnd } = box
    const [start, end] = [selectionStart ?? 0, selectionEnd ?? 0]
    const at = box.value.startsWith(before) ? before.length : start
    box.setSelectionRange(at, at)
    insertText(box, text)
    if (start > at) box.setSelectionRange(start + text.length, end + text.length)
    before = box.value.slice(0, at + text.length)
    if (elsewhere instanceof HTMLElement && elsewhere.matches('textarea, input:not([type=file])'))
      elsewhere.focus()
  }
}
