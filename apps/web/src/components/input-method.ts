/** The code of a key that an input method handled. */
const HANDLED = 229;

/**
 * Returns true if a key belongs to an input method, such as the Enter that accepts a conversion in Japanese: it is no
 * command. Safari sends that key after the end of the composition, and only its code tells.
 */
export function isInputMethodKey({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === HANDLED;
}
