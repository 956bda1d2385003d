import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { TextField } from '../components/field.tsx';
import { isInputMethodKey } from '../components/input-method.ts';

interface CommittedFieldProps {
  label: string;
  placeholder?: string;
  hint?: ComponentChildren;
  type?: 'date';
  value: string;
  onCommit: (value: string) => void;
}

/**
 * A field whose value applies when the user leaves it or presses Enter, because half a domain or half a year is no
 * filter. A day that is chosen in the browser's calendar applies at once.
 */
export function CommittedField({ label, placeholder, hint, type, value, onCommit }: CommittedFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  /** What the control had when `value` was set, or what was committed since: nothing if it cannot show that. */
  const shown = useRef('');
  const typing = useRef(false);
  useEffect(() => {
    input.current!.value = value;
    shown.current = input.current!.value;
  }, [value]);
  const commit = () => {
    typing.current = false;
    if (input.current!.validity.badInput) return;
    const text = input.current!.value.trim();
    if (text === shown.current) return;
    // The field may be left before `value` has what Enter committed.
    shown.current = text;
    onCommit(text);
  };
  return (
    <TextField
      ref={input}
      label={label}
      placeholder={placeholder}
      hint={hint}
      {...(type === 'date' ? { type } : { type: 'text' as const })}
      defaultValue={value}
      autoCapitalize="none"
      spellcheck={false}
      onBlur={commit}
      onPointerDown={() => {
        typing.current = false;
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !isInputMethodKey(event)) commit();
        else typing.current = true;
      }}
      onInput={() => {
        if (type === 'date' && !typing.current) commit();
      }}
    />
  );
}
