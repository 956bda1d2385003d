/** Copies a text. Returns false if the browser does not allow it. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Copies by a command, which browsers also allow over plain HTTP from another machine: the clipboard is missing there. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.className = 'visually-hidden';
  field.readOnly = true;
  field.value = text;
  // What is outside of a modal dialog cannot be selected.
  const parent = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body;
  parent.append(field);
  field.focus({ preventScroll: true });
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}
