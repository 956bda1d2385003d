import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { combobox as texts } from '../texts/combobox.ts';
import { isInputMethodKey } from './input-method.ts';
import { Words } from './words.tsx';
import './combobox.css';

type InputProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  | 'id'
  | 'name'
  | 'value'
  | 'placeholder'
  | 'maxLength'
  | 'autoCapitalize'
  | 'aria-label'
  | 'aria-describedby'
  | 'aria-invalid'
  | 'onFocus'
  | 'onInput'
>;

interface ComboboxProps<Option> extends InputProps {
  /** The name of the list. */
  label: string;
  /** What fits the text. */
  options: readonly Option[];
  keyOf: (option: Option) => string;
  children: (option: Option) => ComponentChildren;
  /** Below the list, and read out when it changes. Default: how many options there are. */
  status?: string | undefined;
  /** If true, Enter chooses the first option unless another one is marked. */
  marksFirst?: boolean;
  /** While true, Enter chooses nothing: better options may follow. */
  isWaiting?: boolean;
  onChoose: (option: Option) => void;
  onEscape?: () => void;
}

/**
 * A text field with a list of what fits the text (ARIA Authoring Practices, combobox). The arrow keys mark an option, Enter
 * chooses it, Escape closes the list.
 */
export function Combobox<Option>(props: ComboboxProps<Option>) {
  const { label, options, keyOf, children, marksFirst = false, isWaiting = false, ...rest } = props;
  const {
    status = options.length > 0 ? texts.found(options.length) : '',
    onChoose,
    onEscape,
    onInput,
    ...input
  } = rest;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const first = marksFirst ? 0 : -1;
  const [active, setActive] = useState(first);
  const marked = Math.min(active, options.length - 1);
  const isOpen = open && status !== '';
  useEffect(() => {
    if (isOpen) list.current!.children[marked]?.scrollIntoView({ block: 'nearest' });
  }, [isOpen, marked]);

  const close = () => {
    setOpen(false);
    setActive(first);
  };
  const choose = (option: Option) => {
    close();
    onChoose(option);
  };
  const handleKey = (event: KeyboardEvent) => {
    if (isInputMethodKey(event)) return;
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const count = options.length;
      if (count === 0) return;
      if (marked < 0) setActive(key === 'ArrowDown' ? 0 : count - 1);
      else setActive((marked + (key === 'ArrowDown' ? 1 : -1) + count) % count);
    } else if (key === 'Enter' && (marksFirst || (isOpen && marked >= 0))) {
      event.preventDefault();
      const option = options[marked];
      if (option !== undefined && !isWaiting) choose(option);
    } else if (key === 'Escape' && (isOpen || onEscape)) {
      // It must not close the dialog around, too.
      event.preventDefault();
      close();
      onEscape?.();
    }
  };
  return (
    <div className="combobox">
      <input
        type="text"
        className="control"
        dir="auto"
        autoComplete="off"
        spellcheck={false}
        {...input}
        role="combobox"
        aria-expanded={isOpen && options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && marked >= 0 ? `${id}-${marked}` : undefined}
        onInput={(event) => {
          onInput?.(event);
          setActive(first);
          setOpen(true);
        }}
        onKeyDown={handleKey}
        onBlur={close}
      />
      <div className="combobox-panel" hidden={!isOpen}>
        <div ref={list} role="listbox" id={`${id}-list`} aria-label={label} hidden={options.length === 0}>
          {isOpen &&
            options.map((option, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
              <div
                key={keyOf(option)}
                id={`${id}-${index}`}
                className="combobox-option"
                role="option"
                tabIndex={-1}
                aria-selected={index === marked}
                onPointerEnter={() => setActive(index)}
                // Keeps the focus in the field.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => choose(option)}
              >
                {children(option)}
              </div>
            ))}
        </div>
        <p className="combobox-status" role="status">
          {isOpen && <Words text={status} />}
        </p>
      </div>
    </div>
  );
}
