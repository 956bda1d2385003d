/** The code of a key that an input method handled. */
const HANDLED = 229;

/**
 * Returns true if a key belongs to an input method, such as the Enter that accepts a conversion in Japanese. Such a key is
 * no command. Safari sends it after the end of the composition, with this code.
 */
export function isInputMethodKey({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === HANDLED;
}
