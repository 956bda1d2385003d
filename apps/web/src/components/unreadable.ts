import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/**
 * Watches a control of a date, a time or a number. Returns true once the user has left it, or tried to submit it, with an
 * incomplete value. Its `value` is empty then, although the user did not empty it, so its form is not submitted.
 */
export function useUnreadable(control: RefObject<HTMLInputElement | null>): boolean {
  const [unreadable, setUnreadable] = useState(false);
  useEffect(() => {
    const element = control.current!;
    const check = () => {
      setUnreadable(element.validity.badInput);
      return element.validity.badInput;
    };
    const onInput = () => {
      if (!element.validity.badInput) setUnreadable(false);
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Enter') check();
    };
    const onSubmit = (event: Event) => {
      if (!check()) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      element.closest('details')?.setAttribute('open', '');
      element.focus();
    };
    const { form } = element;
    element.addEventListener('input', onInput);
    element.addEventListener('keydown', onKey);
    element.addEventListener('blur', check);
    // Before the form's own handler.
    form?.addEventListener('submit', onSubmit, { capture: true });
    return () => {
      element.removeEventListener('input', onInput);
      element.removeEventListener('keydown', onKey);
      element.removeEventListener('blur', check);
      form?.removeEventListener('submit', onSubmit, { capture: true });
    };
  }, [control]);
  return unreadable;
}
