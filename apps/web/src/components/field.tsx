import type {
  ComponentChildren,
  InputHTMLAttributes,
  RefObject,
  SelectHTMLAttributes,
  TextareaHTMLAttributes,
} from 'preact';
import { useId, useRef } from 'preact/hooks';
import { shared } from '../texts/shared.ts';
import { useUnreadable } from './unreadable.ts';
import './field.css';

export interface FieldProps {
  label: string;
  /** Below the control, for example a format. */
  hint?: ComponentChildren;
  /** Why the value is refused, in the API's words. */
  error?: string | null | undefined;
  /** Adds “optional” to the label. */
  optional?: boolean;
}

type ControlProps = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

/** A label, a control, a hint and an error that belong together. `children` gets the properties of the control. */
export function Field({
  label,
  hint,
  error,
  optional,
  children,
}: FieldProps & { children: (control: ControlProps) => ComponentChildren }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {optional && <span className="field-optional">{shared.optional}</span>}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p key={String(hint)} className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p key={error} className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/**
 * A field of one line of text, or of a number, date or time. `prefix` is shown before the text and is not part of it. With
 * a part of a date, for example, the field says so, and its form is not submitted.
 */
export function TextField({
  label,
  hint,
  error,
  optional,
  prefix,
  ref,
  ...input
}: FieldProps & InputHTMLAttributes<HTMLInputElement> & { ref?: RefObject<HTMLInputElement | null> }) {
  const ownRef = useRef<HTMLInputElement>(null);
  const inputRef = ref ?? ownRef;
  const unreadable = useUnreadable(inputRef);
  const shownError = unreadable ? shared.unreadable[String(input.type)] : error;
  return (
    <Field {...{ label, hint, error: shownError, optional: optional ?? false }}>
      {(control) =>
        prefix === undefined ? (
          <input ref={inputRef} className="control" dir="auto" {...input} {...control} />
        ) : (
          <div className="control-prefixed">
            <span translate={false}>{prefix}</span>
            <input ref={inputRef} className="control" dir="auto" {...input} {...control} />
          </div>
        )
      }
    </Field>
  );
}

/** A field of several lines of text. */
export function TextArea({
  label,
  hint,
  error,
  optional,
  ...area
}: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field {...{ label, hint, error, optional: optional ?? false }}>
      {(control) => <textarea className="control" rows={3} dir="auto" {...area} {...control} />}
    </Field>
  );
}

/** A field with a list of choices. `children` are `<option>` elements. */
export function SelectField({
  label,
  hint,
  error,
  optional,
  ...select
}: FieldProps & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <Field {...{ label, hint, error, optional: optional ?? false }}>
      {(control) => <select className="control" {...select} {...control} />}
    </Field>
  );
}
