type TextBox = HTMLTextAreaElement | HTMLInputElement

/** Replaces the selection as typing does, so that the browser's own undo takes it back. */
export function insertText(box: TextBox, text: string): void {
  box.focus()
  if (document.execCommand('insertText', false, text)) return
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
